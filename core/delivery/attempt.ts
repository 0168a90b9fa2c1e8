/**
 * One attempt at a delivery: claim it, render and sign the body, send it, record what came of it. The
 * claim and the record are transactions of their own, and no transaction spans the call. A process may die
 * at any point: before the claim nothing has happened, after it the lease ends by itself and the attempt
 * shows as interrupted. A receiver may so get a message twice, never not at all.
 */
import { standingOf } from '../../db/statements/deliveries.js';
import type { Context } from '../context.js';
import { type Claimed, claimDelivery, judge } from './claim.js';
import { type Result, recordAnswer, releaseClaim, settleFailure } from './record.js';
import { errorText } from '../errors.js';
import { type Answer, CONNECT_TIMEOUT_MS, callWebhook } from '../egress/post.js';
import { type Payload, messagePayload, testPayload } from '../webhooks/payload.js';
import { signingSecrets } from '../webhooks/signing-secrets.js';
import { signatureHeaders } from '../webhooks/signature.js';
import { parseWebhookUrl } from '../webhooks/url-policy.js';

/** How much longer than the longest attempt a claim holds. */
const LEASE_MARGIN_MS = 10_000;

/** A fault of ours is no attempt of the receiver's: it is tried again after so long. */
export const OUR_FAULT_DELAY_MS = 30_000;

const USER_AGENT = 'Mayfly-Webhooks';

/** What came of it, and the answer where a call was made. */
export interface Attempted {
  result: Result;
  answer: Answer | null;
}

/** @throws what is our fault and not the receiver's; the delivery is due again {@link OUR_FAULT_DELAY_MS} later. */
export async function attemptDelivery(context: Context, id: string): Promise<Attempted> {
  const { delivery, log } = context;
  const rules = context.config.webhooks;
  const now = new Date(context.now());
  const longestMs = CONNECT_TIMEOUT_MS + rules.timeoutMs;
  const leaseUntil = new Date(now.getTime() + longestMs + LEASE_MARGIN_MS);
  const claim = await delivery.writer.run(function* (tx) {
    const taken = yield* claimDelivery(tx, id, { now, leaseUntil });
    if (taken.kind !== 'poison') return taken;
    const url = taken.standing.webhook?.url ?? '';
    return yield* settleFailure(tx, rules, taken.standing, { ...interrupted, url }, now);
  });
  if (claim.kind !== 'claimed') {
    tellOutcome(context, claim);
    return { result: claim, answer: null };
  }

  const { claimed } = claim;
  const { queueDelaySeconds, attempts, attemptSeconds } = context.metrics.webhooks;
  queueDelaySeconds.observe(claimed.attempt.queueDelayMs / 1000);
  const answer = await send(context, claimed).catch(async (error: unknown) => {
    await letGo(context, claimed, error);
    throw error;
  });
  const endedAt = new Date(context.now());
  const result = await delivery.writer.run((tx) =>
    recordAnswer(tx, rules, claimed, answer, endedAt),
  );
  attempts.inc({ outcome: answer.outcome });
  if (answer.outcome !== 'withdrawn') attemptSeconds.observe(answer.durationMs / 1000);
  tellOutcome(context, result);
  log.debug('delivery attempted', {
    deliveryId: id,
    webhookId: claimed.webhook.id,
    attempt: claimed.attempt.number,
    outcome: answer.outcome,
    status: answer.statusCode,
    fault: answer.fault,
    durationMs: answer.durationMs,
  });
  return { result, answer: answer.outcome === 'withdrawn' ? null : answer };
}

function tellOutcome({ events, metrics }: Context, result: Result): void {
  if ('state' in result) metrics.webhooks.ended.inc({ state: result.state });
  if (!('paused' in result) || !result.paused) return;
  metrics.webhooks.paused.inc();
  const { workspaceId, ...place } = result.paused;
  events.publisher.publish(workspaceId, { type: 'webhook.paused', ...place });
}

const nothing = { statusCode: null, excerpt: null, retryAfterMs: null, durationMs: 0 };
const interrupted = { ...nothing, outcome: 'interrupted' } as const;

/** @throws what is our fault; nothing has been sent then. */
async function send(
  context: Context,
  claimed: Claimed,
): Promise<Answer & { payloadBytes: number }> {
  const { delivery, webhook } = claimed;
  const secrets = signingSecrets(context.secrets.keyring, webhook, context.now());
  const payload = await payloadOf(context, claimed);
  if (!payload) return { ...nothing, outcome: 'withdrawn', payloadBytes: 0 };
  const body = Buffer.from(JSON.stringify(payload));
  const payloadBytes = body.length;
  if (!isStillAllowed(context, webhook.url)) {
    return { ...nothing, outcome: 'blocked_address', payloadBytes };
  }
  const { timeoutMs, allowedCidrs } = context.config.webhooks;
  const { workspaceId } = claimed.mailbox;
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
      mayStill: () => isStillOwed(context, claimed),
      now: context.now,
    },
  );
  return { ...answer, payloadBytes };
}

/** What to send, or null when the message has just gone. */
async function payloadOf(
  context: Context,
  { delivery, mailbox }: Claimed,
): Promise<Payload | null> {
  return delivery.trigger === 'test'
    ? testPayload(mailbox.name, delivery.messageId, delivery.createdAt)
    : messagePayload(context, mailbox, delivery.messageId);
}

/** Where this fails too, the lease ends by itself. */
async function letGo(context: Context, claimed: Claimed, error: unknown): Promise<void> {
  context.log.error('delivery could not be attempted', {
    deliveryId: claimed.delivery.id,
    webhookId: claimed.webhook.id,
    fault: errorText(error),
  });
  const at = new Date(context.now() + OUR_FAULT_DELAY_MS);
  await context.delivery.writer.run((tx) => releaseClaim(tx, claimed, at));
}

/** What was allowed at registration may not be any more: the operator may have changed the rules. */
function isStillAllowed({ config }: Context, url: string): boolean {
  try {
    parseWebhookUrl(config.webhooks, url);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the claim stands, nobody has deleted or paused what it hangs on since, and it leads where it did
 * when it was made, under the secret that the receiver was given.
 */
async function isStillOwed(context: Context, claimed: Claimed): Promise<boolean> {
  const [standing] = await context.store.read(standingOf, { id: claimed.delivery.id });
  if (!standing) return false;
  const now = new Date(context.now());
  const { state, leaseToken, leaseUntil } = standing.delivery;
  const isOurs = state === 'in_flight' && leaseToken === claimed.leaseToken;
  // A process that was suspended for long wakes up here, when another may be about to take over.
  const isHeld = leaseUntil !== null && leaseUntil > now;
  const due = judge(standing, now);
  if (!isOurs || !isHeld || 'state' in due) return false;
  const { url, secret } = due.webhook;
  return url === claimed.webhook.url && secret === claimed.webhook.secret;
}
