/** Whether the memory of the processes of a run stays flat. */
import { median } from '../../bench/figures.ts';

/** Growth that is permitted: a part of the earlier median, and MiB beside it. */
const MAX_GROWTH = 0.25;
const MAX_GROWTH_MIB = 20;

/** Resident memory of the processes at one time, in MiB by name. */
export type Sample = ReadonlyMap<string, number>;

/**
 * The processes whose memory grew, one sentence each. The first quarter of the samples is left out:
 * caches fill then. The median of the last quarter may exceed that of the second one by 25 % and 20
 * MiB. Medians, because a process that was killed starts small. Fewer than 8 samples show nothing.
 */
export function grownMemory(samples: readonly Sample[]): string[] {
  const quarter = Math.floor(samples.length / 4);
  if (quarter < 2) return [];
  const names = new Set(samples.flatMap((sample) => [...sample.keys()]));
  return [...names].flatMap((name) => {
    const of = (part: readonly Sample[]) => part.flatMap((sample) => sample.get(name) ?? []);
    const early = of(samples.slice(quarter, 2 * quarter));
    const late = of(samples.slice(-quarter));
    if (early.length === 0 || late.length === 0) return [];
    const [before, after] = [median(early), median(late)];
    return after > before * (1 + MAX_GROWTH) + MAX_GROWTH_MIB
      ? [`${name} grew from ${before.toFixed(0)} to ${after.toFixed(0)} MiB`]
      : [];
  });
}
