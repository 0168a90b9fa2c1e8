/** Shared set-up of delivery tests: a mailbox, a webhook to a receiver, and mail. */
import { createMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { registerWebhook } from '../../../core/webhooks/webhooks.ts';
import type { AttemptRow, DeliveryRow } from '../../../db/statements/deliveries.ts';
import type { DeliveryState } from '../../../db/schema/tables.ts';
import { attemptsOf } from '../../../db/statements/deliveries.ts';
import type { TestContext } from './context.ts';
import { deliverMail } from './deliver.ts';
import { eventually } from '../mocha/eventually.ts';

/** Settings that permit receivers on this machine and shorten retries. */
export const QUICK_WEBHOOKS = {
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  WEBHOOK_RETRY_SCHEDULE_MS: '20,40,60,80,100',
};

export interface WebhookBench {
  readonly webhook: { id: string; secret: string; mailboxId: string };
  /** Stores a mail in the mailbox. Returns the id of its message. */
  readonly mail: (raw?: string) => Promise<string>;
  readonly deliveries: () => Promise<DeliveryRow[]>;
  readonly attempts: () => Promise<AttemptRow[]>;
  /** Resolves to the newest delivery once it is in this state. */
  readonly settled: (state: DeliveryState, withinMs?: number) => Promise<DeliveryRow>;
}

/** A mailbox `box@one.test` with a webhook to the URL. */
export async function openWebhookBench(
  { context, caller }: Pick<TestContext, 'context' | 'caller'>,
  url: string,
  name = 'box',
): Promise<WebhookBench> {
  await createMailbox(context, caller, name);
  const { webhook: row, secret } = await registerWebhook(context, caller, name, url);
  const webhook = { ...row, secret };
  const { db } = context.store;
  const deliveries = async () =>
    (await db.select().from(db.t.deliveries).orderBy(db.t.deliveries.id)).filter(
      ({ webhookId }) => webhookId === webhook.id,
    );
  return {
    webhook,
    mail: async (raw = 'From: a@b.test\r\nSubject: Hi\r\n\r\nHello\r\n') => {
      const accepted = await deliverMail(context, [`${name}@one.test`], raw);
      return accepted.messages[0]!.id;
    },
    deliveries,
    attempts: async () =>
      attemptsOf(
        db,
        (await deliveries()).map(({ id }) => id),
      ),
    settled: (state, withinMs) =>
      eventually(
        `a delivery to be ${state}`,
        async () => {
          const newest = (await deliveries()).at(-1);
          return newest?.state === state && newest;
        },
        withinMs,
      ),
  };
}
