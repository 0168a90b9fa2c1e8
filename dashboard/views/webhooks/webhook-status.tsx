import { Pill } from '../../components/pill.tsx';
import { Time } from '../../components/time.tsx';
import type { Webhook } from '../../rest/shapes.ts';
import { pausedText } from './webhook-texts.ts';

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
            {pausedText(webhook)}. Deliveries are held while the webhook is paused. Enabling it does
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
