/**
 * One delivery attempt: lease the delivery, render and sign the body, send it, record the outcome.
 * Lease and record are separate transactions, and no transaction spans the request. The process can
 * die at any point. Before that nothing has happened; after it the lease expires and the
 * attempt is shown as interrupted. A receiver gets each message at least once.
 */
import { type DeliveryDetails, sendableLease } from '../../db/statements/deliveries.ts';
import type { Context } from '../context.ts';
import { deliveryJob } from './jobs.ts';
import { type LeasedDelivery, acquireLease } from './lease.ts';
import {
  type DeliveryDecision,
  abandonLeftOut,
  failDelivery,
  recordResponse,
  releaseLease,
} from './record.ts';
import type { RequestSlot, RequestResult } from './limits.ts';
import { errorText } from '../errors.ts';
import { jsonBytes } from '../mime/json-bytes.ts';
import { type WebhookResponse, CONNECT_TIMEOUT_MS, callWebhook } from '../egress/post.ts';
import { type Payload, messagePayload, testPayload } from '../webhooks/payload.ts';
import { signingSecrets, signatureHeaders } from '../webhooks/signature.ts';
import { parseWebhookUrl } from '../webhooks/url-policy.ts';

/** Time by which a lease outlasts the longest attempt, in milliseconds. */
const LEASE_MARGIN_MS = 10_000;

/** Delay after an internal fault, in milliseconds. Such a fault does not count as an attempt. */
export const OUR_FAULT_DELAY_MS = 30_000;

const USER_AGENT = 'Mayfly-Webhooks';

/** The result of an attempt, and the response if a request was sent. */
export interface CompletedAttempt {
  result: DeliveryDecision;
  response: WebhookResponse | null;
}

/**
 * @param run the delivery as just read, and the place for the request, which is released with the
 *   response.
 * @throws an internal fault; the delivery is due again after {@link OUR_FAULT_DELAY_MS}.
 */
export async function attemptDelivery(
  context: Context,
  id: string,
  run?: { details: DeliveryDetails; place: RequestSlot },
): Promise<CompletedAttempt> {
  const { delivery, log } = context;
  const rules = context.config.webhooks;
  const now = new Date(context.now());
  const longestMs = CONNECT_TIMEOUT_MS + rules.timeoutMs;
  const leaseUntil = new Date(now.getTime() + longestMs + LEASE_MARGIN_MS);
  const lease = await delivery.writer.run(function* (tx) {
    const found = yield* acquireLease(tx, id, { now, leaseUntil }, run?.details);
    if (found.kind !== 'poison') return found;
    const url = found.details.webhook?.url ?? '';
    return yield* failDelivery(tx, rules, found.details, { ...interrupted, url }, now);
  });
  if (lease.kind !== 'leased') {
    publishOutcome(context, lease);
    return { result: lease, response: null };
  }

  const { leased } = lease;
  const { queueDelaySeconds, attempts, attemptSeconds } = context.metrics.webhooks;
  queueDelaySeconds.observe(leased.attempt.queueDelayMs / 1000);
  const answer = await send(context, leased, run?.place).catch(async (error: unknown) => {
    await releaseAfterFault(context, leased, error);
    throw error;
  });
  if (answer === null) {
    const at = new Date(context.now());
    const result = await delivery.writer.run((tx) => abandonLeftOut(tx, leased, at));
    publishOutcome(context, result);
    return { result, response: null };
  }
  // The place is released before the outcome is recorded, so the next delivery can use it.
  run?.place.release(requestResult(answer, run.place));
  const endedAt = new Date(context.now());
  const result = await delivery.writer.run((tx) =>
    recordResponse(tx, rules, leased, answer, endedAt),
  );
  attempts.inc({ outcome: answer.outcome });
  if (answer.outcome !== 'withdrawn') attemptSeconds.observe(answer.durationMs / 1000);
  publishOutcome(context, result);
  log.debug('delivery attempted', {
    deliveryId: id,
    webhookId: leased.webhook.id,
    attempt: leased.attempt.number,
    outcome: answer.outcome,
    status: answer.statusCode,
    fault: answer.fault,
    durationMs: answer.durationMs,
  });
  return { result, response: answer.outcome === 'withdrawn' ? null : answer };
}

/** The result for the limiter; null if nothing was sent. */
function requestResult({ outcome }: WebhookResponse, place: RequestSlot): RequestResult | null {
  if (outcome === 'withdrawn') return null;
  return { failed: outcome !== 'delivered', durationMs: place.elapsedMs() };
}

function publishOutcome({ events, metrics }: Context, result: DeliveryDecision): void {
  if ('state' in result) metrics.webhooks.ended.inc({ state: result.state });
  if (!('paused' in result) || !result.paused) return;
  metrics.webhooks.paused.inc();
  const { workspaceId, ...place } = result.paused;
  events.publisher.publish(workspaceId, { type: 'webhook.paused', ...place });
}

const nothing = { statusCode: null, excerpt: null, retryAfterMs: null, durationMs: 0 };
const interrupted = { ...nothing, outcome: 'interrupted' } as const;

/**
 * Resolves to null if the mail is left out.
 * @throws an internal fault; nothing was sent in that case.
 */
async function send(
  context: Context,
  leased: LeasedDelivery,
  place: RequestSlot | undefined,
): Promise<(WebhookResponse & { payloadBytes: number }) | null> {
  const { delivery, webhook } = leased;
  const secrets = signingSecrets(context.secrets.keyring, webhook, context.now());
  const read = await bodyOf(context, leased);
  if (!read) return null;
  const { result: body } = read;
  if (!body) return { ...nothing, outcome: 'withdrawn', payloadBytes: 0 };
  const payloadBytes = body.length;
  if (!isStillAllowed(context, webhook.url)) {
    return { ...nothing, outcome: 'blocked_address', payloadBytes };
  }
  const { timeoutMs, allowedCidrs } = context.config.webhooks;
  const { workspaceId } = leased.mailbox;
  const answer = await callWebhook(
    { resolve: (hostname) => context.delivery.resolve(hostname, workspaceId), allowedCidrs },
    {
      url: webhook.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        ...signatureHeaders(secrets, { id: delivery.messageId, at: context.now(), body }),
      },
      body,
      timeoutMs,
      mayStill: async () => {
        const isOwed = await isStillOwed(context, leased);
        place?.startTimer();
        return isOwed;
      },
      now: context.now,
    },
  );
  return { ...answer, payloadBytes };
}

/** The body to send, or null for it if the message was removed meanwhile; null if left out. */
async function bodyOf(
  context: Context,
  leased: LeasedDelivery,
): Promise<{ result: Buffer | null } | null> {
  const { mailId } = leased;
  const render = async () => {
    const payload = await payloadOf(context, leased);
    if (payload === null) return null;
    const [json = null] = await context.ingest.parsePool.run(jsonBytes, {
      values: [payload],
      before: '',
    });
    return json;
  };
  if (mailId === null) return { result: await render() };
  return context.readGuard.readOne(deliveryJob.name, mailId, render);
}

async function payloadOf(
  context: Context,
  { delivery, mailbox, webhook }: LeasedDelivery,
): Promise<Payload | null> {
  return delivery.trigger === 'test'
    ? testPayload(mailbox.name, delivery.messageId, delivery.createdAt)
    : messagePayload(context, mailbox, delivery.messageId, webhook.include ?? []);
}

/** If this fails too, the lease expires. */
async function releaseAfterFault(
  context: Pick<Context, 'delivery' | 'log' | 'now'>,
  leased: LeasedDelivery,
  error: unknown,
): Promise<void> {
  context.log.error('delivery could not be attempted', {
    deliveryId: leased.delivery.id,
    webhookId: leased.webhook.id,
    fault: errorText(error),
  });
  const at = new Date(context.now() + OUR_FAULT_DELAY_MS);
  await context.delivery.writer.run((tx) => releaseLease(tx, leased, at));
}

/** Checks the URL again, because the operator can change the rules after registration. */
function isStillAllowed({ config }: Context, url: string): boolean {
  try {
    parseWebhookUrl(config.webhooks, url);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the lease still holds and webhook, URL and secret are unchanged. They are read again
 * because the name lookup and the connection take up to {@link CONNECT_TIMEOUT_MS}, and nothing is
 * sent to a webhook that was deleted or paused meanwhile. A process that was suspended resumes
 * here, when another one can be about to take over.
 */
async function isStillOwed(
  context: Pick<Context, 'now' | 'store'>,
  leased: LeasedDelivery,
): Promise<boolean> {
  const { leaseToken, expiresAt } = leased;
  const { url, secret } = leased.webhook;
  const readAt = new Date(context.now());
  const check = { id: leased.delivery.id, leaseToken, url, secret, now: readAt };
  const [held] = await context.store.execute(sendableLease, check);
  const now = new Date(context.now());
  return !!held?.leaseUntil && held.leaseUntil > now && (expiresAt === null || expiresAt > now);
}
