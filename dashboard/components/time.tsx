import { absolute, relative } from '../format/times.ts';
import { coarseNow } from '../state/clock.ts';

/** A relative time, with the absolute time as tooltip. */
export function Time({ at }: { at: string }) {
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={absolute(time)}>
      {relative(time, coarseNow.value)}
    </time>
  );
}
