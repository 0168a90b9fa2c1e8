import { type PillTone, Pill } from '../../components/pill.tsx';
import { Time } from '../../components/time.tsx';
import type { DeliveryAttempt, DeliveryState, Webhook } from '../../rest/shapes.ts';

/** The state of a webhook, its last success and the reason of a pause. */
export function WebhookStatus({ webhook }: { webhook: Webhook }) {
  const { active, createdAt, lastSuccessAt, failingSince, pausedAt, include } = webhook;
  return (
    <div class="webhook-status">
      <dl class="facts">
        <div>
          <dt>State</dt>
          <dd>
            <WebhookState webhook={webhook} />
          </dd>
        </div>
        <div>
          <dt>Last delivered</dt>
          <dd>{lastSuccessAt === null ? 'never' : <Time at={lastSuccessAt} />}</dd>
        </div>
        {failingSince !== null && (
          <div>
            <dt>Failing since</dt>
            <dd>
              <Time at={failingSince} />
            </dd>
          </div>
        )}
        <div>
          <dt>Registered</dt>
          <dd>
            <Time at={createdAt} />
          </dd>
        </div>
        {include.length > 0 && (
          <div>
            <dt>Includes</dt>
            <dd>codes and links</dd>
          </div>
        )}
      </dl>
      {!active && (
        <p class="paused" role="note">
          <span>
            Paused {pausedAt !== null && <Time at={pausedAt} />}
            {pausedText(webhook)}. Deliveries are held while the webhook is paused. Resuming it does
            not send them; use “Recover” to send them.
          </span>
        </p>
      )}
    </div>
  );
}

export function WebhookState({ webhook: { active, failingSince } }: { webhook: Webhook }) {
  if (!active) return <Pill tone="warn">Paused</Pill>;
  if (failingSince !== null) return <Pill tone="bad">Failing</Pill>;
  return <Pill tone="good">Active</Pill>;
}

export const states: Record<DeliveryState, { label: string; tone: PillTone; meaning: string }> = {
  pending: { label: 'Pending', tone: 'plain', meaning: 'waiting for an attempt' },
  in_flight: { label: 'In flight', tone: 'plain', meaning: 'an attempt is in progress' },
  delivered: { label: 'Delivered', tone: 'good', meaning: 'the receiver accepted it' },
  abandoned: { label: 'Abandoned', tone: 'bad', meaning: 'every attempt failed' },
  held: { label: 'Held', tone: 'warn', meaning: 'the webhook is paused' },
  cancelled: {
    label: 'Cancelled',
    tone: 'plain',
    meaning: 'the message, mailbox or webhook was deleted, or the webhook was paused',
  },
  expired: { label: 'Expired', tone: 'plain', meaning: 'the message expired before delivery' },
};

export const deliveryStates = Object.keys(states) as DeliveryState[];

const reasons: Record<NonNullable<Webhook['pausedReason']>, string> = {
  failing: 'automatically: deliveries kept failing',
  gone: 'automatically: the receiver responded with 410 Gone',
  manual: 'manually',
};

/** Returns the text after "Paused … ago"; empty if the reason is not known. */
function pausedText({ pausedReason }: Webhook): string {
  return pausedReason === null ? '' : ` ${reasons[pausedReason]}`;
}

const outcomes: Record<NonNullable<DeliveryAttempt['outcome']>, string> = {
  delivered: 'Delivered',
  http_error: 'HTTP error',
  timeout: 'Timed out',
  dns_error: 'Host name not found',
  connection_refused: 'Connection refused',
  connection_failed: 'Connection failed',
  tls_error: 'TLS failed',
  blocked_address: 'Address not allowed',
  interrupted: 'Interrupted by Mayfly',
};

/** Describes the outcome of an attempt. */
export function outcomeText({ outcome, statusCode }: DeliveryAttempt): string {
  if (outcome === null) return 'In progress';
  return statusCode === null ? outcomes[outcome] : `${outcomes[outcome]}: ${statusCode}`;
}
