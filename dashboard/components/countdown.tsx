import { absolute, remaining } from '../format/times.ts';
import { now } from '../state/clock.ts';

const SOON_MS = 3_600_000;

/** The time left until a message expires, updated each second. */
export function Countdown({ until }: { until: string }) {
  const end = Date.parse(until);
  const left = end - now.value;
  return (
    <time
      class={`countdown ${left < SOON_MS ? 'is-soon' : ''}`}
      dateTime={until}
      title={`Expires ${absolute(end)}`}
    >
      {left > 0 ? remaining(left) : 'expired'}
    </time>
  );
}
