import { Icon } from '../components/icon.tsx';
import { absolute, roughSpan } from '../format/times.ts';
import { coarseNow } from '../state/clock.ts';

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
