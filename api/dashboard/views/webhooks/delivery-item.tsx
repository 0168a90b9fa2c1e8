import { Icon } from '../../components/icon.js';
import { Pill } from '../../components/pill.js';
import { Time } from '../../components/time.js';
import { Button } from '../../components/button.js';
import type { Delivery } from '../../rest/shapes.js';
import { Link } from '../../routing/link.js';
import { to } from '../../routing/routes.js';
import { AttemptTable } from './attempt-table.js';
import { outcomeText, states } from './webhook-texts.js';

const triggers = { event: '', manual: 'Redelivery', test: 'Test' };

/** One delivery; expands to show its attempts. */
export function DeliveryItem({
  delivery,
  mailbox,
  onRedeliver,
}: {
  delivery: Delivery;
  /** Name of the mailbox that has the message, for the link. */
  mailbox?: string;
  onRedeliver?: () => void;
}) {
  const { state, trigger, attempts, createdAt, messageId, nextAttemptAt, reason } = delivery;
  const last = attempts.at(-1);
  return (
    <li>
      <details class="delivery">
        <summary>
          <Icon name="back" />
          <Pill tone={states[state].tone}>{states[state].label}</Pill>
          <span class="delivery-text">
            {last ? outcomeText(last) : states[state].meaning}
            {attempts.length > 1 && ` · ${attempts.length} attempts`}
          </span>
          {triggers[trigger] && <span class="trigger">{triggers[trigger]}</span>}
          <Time at={createdAt} />
        </summary>
        <div class="delivery-body">
          <p class="delivery-facts">
            {reason !== null && reason !== last?.outcome && <span>{reason}</span>}
            {nextAttemptAt !== null && (
              <span>
                Next attempt <Time at={nextAttemptAt} />
              </span>
            )}
            {mailbox !== undefined && trigger !== 'test' && (
              <Link href={to.message(mailbox, messageId)}>Open the message</Link>
            )}
            <code>{messageId}</code>
          </p>
          {attempts.length === 0 ? (
            <p class="hint">No attempt yet.</p>
          ) : (
            <AttemptTable attempts={attempts} />
          )}
          {onRedeliver && trigger !== 'test' && (
            <Button icon="refresh" onClick={onRedeliver}>
              Redeliver
            </Button>
          )}
        </div>
      </details>
    </li>
  );
}
