/**
 * Pauses a webhook and resets its failure record. A webhook is paused automatically after several
 * abandoned deliveries in a row and some time without a success. The time prevents a busy mailbox
 * from pausing it within minutes; the count prevents a quiet mailbox from pausing it after a single
 * mail.
 */
import type { WebhookRow } from '../../db/statements/webhooks.ts';
import type { Config } from '../config/config.ts';

type Rules = Pick<Config['webhooks'], 'pauseAfterAbandoned' | 'pauseAfterMs'>;

/** The change of the webhook after a failed attempt, or null. */
export function failureChange(
  { pauseAfterAbandoned, pauseAfterMs }: Rules,
  webhook: WebhookRow,
  isAbandoned: boolean,
  now: Date,
): Partial<WebhookRow> | null {
  const failingSince = webhook.failingSince ?? now;
  if (!isAbandoned) return webhook.failingSince ? null : { failingSince };
  const abandonedInARow = webhook.abandonedInARow + 1;
  const isFailing =
    abandonedInARow >= pauseAfterAbandoned &&
    now.getTime() - failingSince.getTime() >= pauseAfterMs;
  const pause = isFailing && webhook.active ? pauseChange('failing', now) : {};
  return { failingSince, abandonedInARow, ...pause };
}

/** The change that pauses a webhook. */
export function pauseChange(reason: WebhookRow['pausedReason'], now: Date) {
  return { active: false, pausedReason: reason, pausedAt: now };
}

const cleanRecord = { failingSince: null, abandonedInARow: 0 };

/** The change that pauses a webhook manually, or enables it and resets its failure record. */
export function activeChange(
  current: WebhookRow,
  active: boolean | undefined,
  now: Date,
): Partial<WebhookRow> {
  if (active === undefined || active === current.active) return {};
  if (!active) return pauseChange('manual', now);
  return { active: true, pausedReason: null, pausedAt: null, ...cleanRecord };
}

/** The change of the URL, which resets the failure record. */
export function urlChange(current: WebhookRow, url: string | undefined): Partial<WebhookRow> {
  return url === undefined || url === current.url ? {} : { url, ...cleanRecord };
}
