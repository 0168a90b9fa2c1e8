import { Icon } from '../../components/icon.tsx';
import { Pill } from '../../components/pill.tsx';
import { Time } from '../../components/time.tsx';
import { Button } from '../../components/button.tsx';
import type { Delivery } from '../../rest/shapes.ts';
import { Link } from '../../routing/link.tsx';
import { to } from '../../routing/routes.ts';
import { AttemptTable } from './attempt-table.tsx';
import { outcomeText, states } from './webhook-texts.ts';

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
