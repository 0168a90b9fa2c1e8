import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Pill } from '../../components/pill.tsx';
import { Time } from '../../components/time.tsx';
import { UrlText } from '../../components/url-text.tsx';
import { duration } from '../../format/times.ts';
import type { Delivery, DeliveryAttempt } from '../../rest/shapes.ts';
import { ViewLink } from '../../routing/link.tsx';
import { to } from '../../routing/routes.ts';
import { outcomeText, states } from './webhook-status.tsx';

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
              <ViewLink href={to.message(mailbox, messageId)}>Open the message</ViewLink>
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

/**
 * The attempts of a delivery, oldest first. The URL is shown when it differs from the previous
 * attempt.
 */
function AttemptTable({ attempts }: { attempts: DeliveryAttempt[] }) {
  return (
    <ol class="attempts">
      {attempts.map((attempt, index) => (
        <li key={attempt.number}>
          <p class="attempt-line">
            <span class={attempt.outcome === 'delivered' ? 'is-good' : 'is-bad'}>
              {outcomeText(attempt)}
            </span>
            {attempt.durationMs !== null && <span>{duration(attempt.durationMs)}</span>}
            <Time at={attempt.startedAt} />
            {attempt.url !== attempts[index - 1]?.url && (
              <span class="attempt-url">
                <UrlText url={attempt.url} />
              </span>
            )}
          </p>
          {attempt.excerpt !== null && attempt.excerpt !== '' && (
            <pre class="excerpt" tabIndex={0} aria-label="Start of the response body">
              {attempt.excerpt}
            </pre>
          )}
        </li>
      ))}
    </ol>
  );
}
