import { Time } from '../../parts/time.js';
import type { Webhook } from '../../rest/shapes.js';
import { pausedText } from './webhook-texts.js';
import { WebhookState } from './webhook-state.js';

/** Whether it works, since when, and why not. */
export function WebhookStanding({ webhook }: { webhook: Webhook }) {
  const { active, createdAt, lastSuccessAt, failingSince, pausedAt } = webhook;
  return (
    <div class="standing">
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
      </dl>
      {!active && (
        <p class="paused" role="note">
          <span>
            Paused {pausedAt !== null && <Time at={pausedAt} />}
            {pausedText(webhook)}. Deliveries are held meanwhile. Enabling sends none of them;
            “Recover” does.
          </span>
        </p>
      )}
    </div>
  );
}
