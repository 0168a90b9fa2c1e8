/**
 * What pauses a webhook, and what clears its record. Without its owner's doing it is paused when deliveries
 * to it are abandoned one after the other and nothing has got through for long. The time keeps a busy mailbox from pausing it within minutes,
 * the count a quiet one from pausing it for a single mail.
 */
import type { WebhookRow } from '../db/webhooks.js';
import type { Config } from './config.js';

type Rules = Pick<Config['webhooks'], 'pauseAfterAbandoned' | 'pauseAfterMs'>;

/** What a failed attempt changes about its webhook, or null for nothing. */
export function failureChange(
  { pauseAfterAbandoned, pauseAfterMs }: Rules,
  webhook: WebhookRow,
  isAbandoned: boolean,
  now: Date,
): Partial<WebhookRow> | null {
  const failingSince = webhook.failingSince ?? now;
  if (!isAbandoned) return webhook.failingSince ? null : { failingSince };
  const abandonedInARow = webhook.abandonedInARow + 1;
  const isHopeless =
    abandonedInARow >= pauseAfterAbandoned &&
    now.getTime() - failingSince.getTime() >= pauseAfterMs;
  const pause = isHopeless && webhook.active ? pausedFor('failing', now) : {};
  return { failingSince, abandonedInARow, ...pause };
}

/** The change that pauses a webhook. */
export function pausedFor(reason: WebhookRow['pausedReason'], now: Date) {
  return { active: false, pausedReason: reason, pausedAt: now };
}

const cleanRecord = { failingSince: null, abandonedInARow: 0 };

/** The change that pauses a webhook by hand, or enables it again with a clean record. */
export function switched(
  current: WebhookRow,
  active: boolean | undefined,
  now: Date,
): Partial<WebhookRow> {
  if (active === undefined || active === current.active) return {};
  if (!active) return pausedFor('manual', now);
  return { active: true, pausedReason: null, pausedAt: null, ...cleanRecord };
}

/** The change that has a webhook lead elsewhere: another receiver begins with a clean record. */
export function movedTo(current: WebhookRow, url: string | undefined): Partial<WebhookRow> {
  return url === undefined || url === current.url ? {} : { url, ...cleanRecord };
}
