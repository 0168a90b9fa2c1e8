import { absolute, relative, remaining, roughSpan } from '../format/times.ts';
import { coarseNow, now } from '../state/clock.ts';
import { Icon } from './icon.tsx';

const SOON_MS = 3_600_000;

/** A relative time, with the absolute time as tooltip. */
export function Time({ at }: { at: string }) {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={absolute(time)}>
      {relative(time, coarseNow.value)}
    </time>
  );
}

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

/** The time left of a mailbox in one unit, for a list. */
export function TimeLeft({ until }: { until: string }) {
  const end = Date.parse(until);
  return (
    <time class="time-left" dateTime={until} title={`Expires ${absolute(end)}`}>
      <Icon name="clock" />
      {roughSpan(end - coarseNow.value)}
      <span class="visually-hidden"> left</span>
    </time>
  );
}
