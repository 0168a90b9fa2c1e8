/** Webhook configuration. */
import type { z } from 'zod';
import { cidrs, delays, flag, whole } from './values.ts';
import { LOOPBACK } from './cidr.ts';

export const webhookVariables = {
  WEBHOOK_ALLOW_HTTP: flag().optional().meta({
    description: 'Allows webhook URLs with `http`.',
    fallback: '`true` on a [private instance](#private-instances), else `false`',
  }),
  WEBHOOK_ALLOWED_CIDRS: cidrs().optional().meta({
    description: 'Private networks that webhooks may call, comma-separated.',
    fallback: 'loopback on a [private instance](#private-instances), else none',
  }),
  WEBHOOKS_PER_MAILBOX: whole(0, 1_000_000)
    .default(50)
    .meta({ description: 'Largest number of webhooks of one mailbox. 0 disables the limit.' }),
  WEBHOOK_RETRY_SCHEDULE_MS: delays()
    .default([30_000, 300_000, 1_800_000, 7_200_000, 21_600_000])
    .meta({
      description:
        'Delays in milliseconds from each failed attempt to the next, comma-separated. After the last one the delivery is abandoned.',
    }),
  WEBHOOK_TIMEOUT_MS: whole(1, 600_000).default(10_000).meta({
    description:
      'Time in milliseconds for the receiver to answer. Connecting has the same limit, but at most 10 s.',
  }),
  WEBHOOK_CONCURRENCY: whole(1, 10_000).default(200).meta({
    description:
      'Concurrent webhook requests of one worker. Less than half of them go to failing webhooks.',
  }),
  WEBHOOK_MAX_QUEUED: whole(0, 10_000_000).default(10_000).meta({
    description:
      'Largest number of deliveries of one workspace that have a job in Redis, about 1.5 KB each. Others wait in the database. 0 disables the limit.',
  }),
  WEBHOOK_PAUSE_ON_410: flag()
    .default(false)
    .meta({ description: 'Pauses a webhook when its receiver answers 410.' }),
  WEBHOOK_PAUSE_AFTER_ABANDONED: whole(1, 1_000_000)
    .default(3)
    .meta({ description: 'Consecutive abandoned deliveries before a webhook is paused.' }),
  WEBHOOK_PAUSE_AFTER_MS: whole(0, 365 * 86_400_000)
    .default(86_400_000)
    .meta({
      description:
        'Time in milliseconds without a successful delivery before a webhook is paused. `WEBHOOK_PAUSE_AFTER_ABANDONED` must be reached too.',
    }),
  WEBHOOK_HONOUR_RETRY_AFTER: flag().default(false).meta({
    description:
      'Extends the retry delay to the `Retry-After` of a 429 or 503 response, up to twice the delay.',
  }),
};

type WebhookEnvironment = z.infer<z.ZodObject<typeof webhookVariables>>;

/**
 * A private instance can call its own machine over plain HTTP. A public instance can do so only if
 * configured.
 */
export function webhookConfig(e: WebhookEnvironment, isPrivate: boolean) {
  return {
    allowHttp: e.WEBHOOK_ALLOW_HTTP ?? isPrivate,
    allowedCidrs: e.WEBHOOK_ALLOWED_CIDRS ?? (isPrivate ? LOOPBACK : []),
    /** 0 for no limit. */
    perMailbox: e.WEBHOOKS_PER_MAILBOX,
    /**
     * Milliseconds from each failure to the next attempt. After the last delay there is no further
     * attempt.
     */
    retrySchedule: e.WEBHOOK_RETRY_SCHEDULE_MS,
    timeoutMs: e.WEBHOOK_TIMEOUT_MS,
    concurrency: e.WEBHOOK_CONCURRENCY,
    /** Jobs of deliveries of one workspace; 0 for no limit. */
    maxQueued: e.WEBHOOK_MAX_QUEUED,
    pauseOn410: e.WEBHOOK_PAUSE_ON_410,
    pauseAfterAbandoned: e.WEBHOOK_PAUSE_AFTER_ABANDONED,
    pauseAfterMs: e.WEBHOOK_PAUSE_AFTER_MS,
    honorRetryAfter: e.WEBHOOK_HONOUR_RETRY_AFTER,
  };
}
