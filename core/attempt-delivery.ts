/**
 * One attempt at a delivery: claim it, render and sign the body, send it, record what came of it. The
 * claim and the record are transactions of their own, and no transaction spans the call. A process may die
 * at any point: before the claim nothing has happened, after it the lease ends by itself and the attempt
 * shows as interrupted. A receiver may so get a message twice, never not at all.
 */
import { type Standing, standingOf } from '../db/deliveries.js';
import type { Context } from './context.js';
import { type Claimed, claimDelivery, judge } from './delivery-claim.js';
import { type Result, recordAnswer, releaseClaim, settleFailure } from './delivery-result.js';
import { errorText } from './errors.js';
import { type Answer, callWebhook } from './webhook-call.js';
import { messagePayload, testPayload } from './webhook-payload.js';
import { signingSecrets } from './webhook-secrets.js';
import { signatureHeaders } from './webhook-signature.js';
import { parseWebhookUrl } from './webhook-url.js';

/** How much longer than the longest attempt a claim holds. */
const LEASE_MARGIN_MS = 10_000;

/** A fault of ours is no attempt of the receiver's: it is tried again after so long. */
export const OUR_FAULT_DELAY_MS = 30_000;

/** Bodies above this are sent a few at a time: each stays in memory for as long as its receiver takes. */
const LARGE_BODY_BYTES = 1024 * 1024;

const USER_AGENT = 'Mayfly-Webhooks';

/** What came of it, and the answer where a call was made. */
export interface Attempted {
  result: Result;
  answer: Answer | null;
}

/** @throws what is our fault and not the receiver's; the delivery is due again {@link OUR_FAULT_DELAY_MS} later. */
export async function attemptDelivery(context: Context, id: string): Promise<Attempted> {
  const [standing] = await context.store.read(standingOf, { id });
  const isLarge = (standing?.message?.bodyBytes ?? 0) > LARGE_BODY_BYTES;
  return isLarge ? context.largeDeliveries(() => attempt(context, id)) : attempt(context, id);
}

async function attempt(context: Context, id: string): Promise<Attempted> {
  const { deliveryWriter, log } = context;
  const rules = context.config.webhooks;
  const now = new Date(context.now());
  const leaseUntil = new Date(now.getTime() + rules.timeoutMs + LEASE_MARGIN_MS);
  const claim = await deliveryWriter.run((tx) => claimDelivery(tx, id, { now, leaseUntil }));
  if (claim.kind === 'poison') {
    const result = await deliveryWriter.run((tx) =>
      settleFailure(tx, rules, claim.standing, interrupted, now),
    );
    return { result, answer: null };
  }
  if (claim.kind !== 'claimed') return { result: claim, answer: null };

  const { claimed } = claim;
  const answer = await send(context, claimed);
  const endedAt = new Date(context.now());
  const result = await deliveryWriter.run((tx) =>
    recordAnswer(tx, rules, claimed, answer, endedAt),
  );
  log.debug('delivery attempted', {
    deliveryId: id,
    webhookId: claimed.webhook.id,
    attempt: claimed.attempt.number,
    outcome: answer.outcome,
    status: answer.statusCode,
    fault: answer.fault,
    durationMs: answer.durationMs,
  });
  return { result, answer };
}

const nothing = { statusCode: null, excerpt: null, retryAfterMs: null, durationMs: 0 };
const interrupted = { ...nothing, outcome: 'interrupted' } as const;

async function send(
  context: Context,
  claimed: Claimed,
): Promise<Answer & { payloadBytes: number }> {
  const prepared = await prepare(context, claimed);
  if (!prepared) return { ...nothing, outcome: 'withdrawn', payloadBytes: 0 };
  const { body, secrets } = prepared;
  const { delivery, webhook } = claimed;
  const payloadBytes = body.length;
  if (!isStillAllowed(context, webhook.url)) {
    return { ...nothing, outcome: 'blocked_address', payloadBytes };
  }
  const { timeoutMs, allowedCidrs } = context.config.webhooks;
  const answer = await callWebhook(
    { resolve: context.resolve, allowedCidrs },
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
    },
  );
  return { ...answer, payloadBytes };
}

/** The body and the secrets to sign it with, or null when the message has just gone. */
async function prepare(
  context: Context,
  claimed: Claimed,
): Promise<{ body: Buffer; secrets: string[] } | null> {
  const { delivery, webhook, mailbox } = claimed;
  try {
    const secrets = signingSecrets(context.keyring, webhook, context.now());
    const payload =
      delivery.trigger === 'test'
        ? testPayload(mailbox.name, delivery.messageId, delivery.createdAt)
        : await messagePayload(context, mailbox, delivery.messageId);
    return payload && { body: Buffer.from(JSON.stringify(payload)), secrets };
  } catch (error) {
    context.log.error('delivery could not be prepared', {
      deliveryId: delivery.id,
      webhookId: webhook.id,
      fault: errorText(error),
    });
    const at = new Date(context.now() + OUR_FAULT_DELAY_MS);
    await context.deliveryWriter.run((tx) => releaseClaim(tx, claimed, at));
    throw error;
  }
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

/** Whether the claim stands, and nobody has deleted or paused what it hangs on since. */
async function isStillOwed(context: Context, { delivery, leaseToken }: Claimed): Promise<boolean> {
  const [standing] = await context.store.read(standingOf, { id: delivery.id });
  return standing !== undefined && isOwedTo(standing, leaseToken, new Date(context.now()));
}

function isOwedTo(standing: Standing, leaseToken: string, now: Date): boolean {
  const { delivery } = standing;
  const isOurs = delivery.state === 'in_flight' && delivery.leaseToken === leaseToken;
  return isOurs && !('state' in judge(standing, now));
}
