import type { PillTone } from '../../components/pill.js';
import type { DeliveryAttempt, DeliveryState, Webhook } from '../../rest/shapes.js';

export const states: Record<DeliveryState, { label: string; tone: PillTone; meaning: string }> = {
  pending: { label: 'Pending', tone: 'plain', meaning: 'to be tried' },
  in_flight: { label: 'In flight', tone: 'plain', meaning: 'an attempt is being made' },
  delivered: { label: 'Delivered', tone: 'good', meaning: 'the receiver has taken it' },
  abandoned: { label: 'Abandoned', tone: 'bad', meaning: 'every attempt failed' },
  held: { label: 'Held', tone: 'warn', meaning: 'the webhook is paused' },
  cancelled: { label: 'Cancelled', tone: 'plain', meaning: 'something it needs was deleted' },
  expired: { label: 'Expired', tone: 'plain', meaning: "the message's time was over first" },
};

export const deliveryStates = Object.keys(states) as DeliveryState[];

const reasons: Record<NonNullable<Webhook['pausedReason']>, string> = {
  failing: 'by itself: deliveries kept failing',
  gone: 'by itself: the receiver answered 410 Gone',
  manual: 'by hand',
};

/** How a webhook came to be paused, after "Paused … ago"; empty when that is not known. */
export function pausedText({ pausedReason }: Webhook): string {
  return pausedReason === null ? '' : ` ${reasons[pausedReason]}`;
}

const outcomes: Record<NonNullable<DeliveryAttempt['outcome']>, string> = {
  delivered: 'Delivered',
  http_error: 'Refused',
  timeout: 'No answer in time',
  dns_error: 'Host name not found',
  connection_refused: 'Connection refused',
  connection_failed: 'Connection failed',
  tls_error: 'TLS failed',
  blocked_address: 'Address not allowed',
  interrupted: 'Interrupted on our side',
};

/** How an attempt ended, in words. */
export function outcomeText({ outcome, statusCode }: DeliveryAttempt): string {
  if (outcome === null) return 'Under way';
  return statusCode === null ? outcomes[outcome] : `${outcomes[outcome]}: ${statusCode}`;
}
