import { Router } from 'express';
import type { Context } from '../../core/context.ts';
import {
  requireDelivery,
  listDeliveries,
  redeliver,
  sendTestEvent,
  type Delivery,
} from '../../core/delivery/delivery-log.ts';
import { recoverDeliveries } from '../../core/delivery/recover.ts';
import { readSince } from '../http/query.ts';
import type { QueryParameters, Shape } from '../contract/contract.ts';

interface OfWebhook {
  name: string;
  id: string;
}
interface OfDelivery extends OfWebhook {
  deliveryId: string;
}

const WEBHOOK = '/api/mailboxes/:name/webhooks/:id';

export function deliveryRoutes(context: Context): Router {
  const router = Router();

  router.get<string, OfWebhook, Shape<'DeliveryPage'>, unknown, QueryParameters<'listDeliveries'>>(
    `${WEBHOOK}/deliveries`,
    async (req, res) => {
      const { limit = 20, ...where } = req.query;
      const page = await listDeliveries(context, res.locals.caller, place(req.params), {
        limit,
        ...where,
      });
      res.json({ ...page, deliveries: page.deliveries.map(presentDelivery) });
    },
  );

  router.get<string, OfDelivery, Shape<'Delivery'>>(
    `${WEBHOOK}/deliveries/:deliveryId`,
    async (req, res) => {
      const { caller } = res.locals;
      const { deliveryId } = req.params;
      res.json(
        presentDelivery(await requireDelivery(context, caller, place(req.params), deliveryId)),
      );
    },
  );

  router.post<string, OfDelivery, Shape<'Delivery'>>(
    `${WEBHOOK}/deliveries/:deliveryId/redeliver`,
    async (req, res) => {
      const { caller } = res.locals;
      const { deliveryId } = req.params;
      const started = await redeliver(context, caller, place(req.params), deliveryId);
      res.status(202).json(presentDelivery(started));
    },
  );

  router.post<string, OfWebhook, Shape<'Delivery'>>(`${WEBHOOK}/test`, async (req, res) => {
    const started = await sendTestEvent(context, res.locals.caller, place(req.params));
    res.status(202).json(presentDelivery(started));
  });

  router.post<string, OfWebhook, Shape<'Recovered'>, Shape<'Recovery'> | undefined>(
    `${WEBHOOK}/recover`,
    async (req, res) => {
      const since = readSince(req.body?.since ?? new Date(0).toISOString());
      const count = await recoverDeliveries(context, res.locals.caller, place(req.params), since);
      res.status(202).json({ recovered: count });
    },
  );

  return router;
}

function place({ name, id }: OfWebhook) {
  return { mailboxName: name, webhookId: id };
}

/** Converts a delivery to its API representation. */
function presentDelivery({ delivery, attempts }: Delivery): Shape<'Delivery'> {
  const { id, webhookId, messageId, trigger, redeliveryOf, state, reason } = delivery;
  return {
    ...{ id, webhookId, messageId, event: 'message.received', trigger, redeliveryOf },
    state,
    reason,
    // The due time of an attempt in progress is not that of the next attempt.
    nextAttemptAt: state === 'pending' ? toText(delivery.nextAttemptAt) : null,
    createdAt: delivery.createdAt.toISOString(),
    finishedAt: toText(delivery.finishedAt),
    attempts: attempts.map(presentAttempt),
  };
}

function presentAttempt(attempt: Delivery['attempts'][number]): Shape<'DeliveryAttempt'> {
  const { number, url, outcome, durationMs, queueDelayMs, statusCode } = attempt;
  const { payloadBytes, retryAfterMs, excerpt } = attempt;
  return {
    ...{ number, url, outcome, durationMs, queueDelayMs, statusCode },
    ...{ payloadBytes, retryAfterMs, excerpt },
    startedAt: attempt.startedAt.toISOString(),
    nextAttemptAt: toText(attempt.nextAttemptAt),
  };
}

function toText(time: Date | null): string | null {
  return time && time.toISOString();
}
