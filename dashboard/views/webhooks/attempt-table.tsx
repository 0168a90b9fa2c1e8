import { duration } from '../../format/times.ts';
import { Time } from '../../components/time.tsx';
import { UrlText } from '../../components/url-text.tsx';
import type { DeliveryAttempt } from '../../rest/shapes.ts';
import { outcomeText } from './webhook-texts.ts';

/**
 * The attempts of a delivery, oldest first. The URL is shown when it differs from the previous
 * attempt.
 */
export function AttemptTable({ attempts }: { attempts: DeliveryAttempt[] }) {
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
