/** The part of the configuration that concerns webhooks. */
import type { z } from 'zod';
import { cidrs, delays, flag, whole } from './values.js';
import { LOOPBACK } from './cidr.js';

export const webhookVariables = {
  WEBHOOK_ALLOW_HTTP: flag().optional(),
  WEBHOOK_ALLOWED_CIDRS: cidrs().optional(),
  WEBHOOKS_PER_MAILBOX: whole(0, 1_000_000).default(50),
  WEBHOOK_RETRY_SCHEDULE_MS: delays().default([30_000, 300_000, 1_800_000, 7_200_000, 21_600_000]),
  WEBHOOK_TIMEOUT_MS: whole(1, 600_000).default(10_000),
  WEBHOOK_CONCURRENCY: whole(1, 10_000).default(200),
  WEBHOOK_PAUSE_ON_410: flag().default(false),
  WEBHOOK_PAUSE_AFTER_ABANDONED: whole(1, 1_000_000).default(3),
  WEBHOOK_PAUSE_AFTER_MS: whole(0, 365 * 86_400_000).default(86_400_000),
  WEBHOOK_HONOUR_RETRY_AFTER: flag().default(false),
};

type WebhookEnvironment = z.infer<z.ZodObject<typeof webhookVariables>>;

/**
 * A private instance may call its own machine in plain HTTP; one that others reach may not, unless
 * told so.
 */
export function webhookConfig(e: WebhookEnvironment, isPrivate: boolean) {
  return {
    allowHttp: e.WEBHOOK_ALLOW_HTTP ?? isPrivate,
    allowedCidrs: e.WEBHOOK_ALLOWED_CIDRS ?? (isPrivate ? LOOPBACK : []),
    /** 0 for no limit. */
    perMailbox: e.WEBHOOKS_PER_MAILBOX,
    /** Milliseconds from the end of each failure to the next attempt; after the last one, none. */
    retrySchedule: e.WEBHOOK_RETRY_SCHEDULE_MS,
    timeoutMs: e.WEBHOOK_TIMEOUT_MS,
    concurrency: e.WEBHOOK_CONCURRENCY,
    pauseOn410: e.WEBHOOK_PAUSE_ON_410,
    pauseAfterAbandoned: e.WEBHOOK_PAUSE_AFTER_ABANDONED,
    pauseAfterMs: e.WEBHOOK_PAUSE_AFTER_MS,
    honourRetryAfter: e.WEBHOOK_HONOUR_RETRY_AFTER,
  };
}
