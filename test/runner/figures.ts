/** The sums of a run. All seconds of CPU time are those of the machine whose loop is given. */
import type { Lap, Run } from './laps.ts';

export interface FileFigures {
  /** The path, followed by `on PostgreSQL` for a run there. */
  readonly name: string;
  readonly kind: string;
  readonly seconds: number;
  readonly starts: number;
  readonly waited: number;
}

export interface Figures {
  /** CPU seconds of this machine in one of the reference. */
  readonly slowness: number;
  readonly total: number;
  /** CPU seconds of the kinds of files, of the servers, and of mocha outside of the files. */
  readonly kinds: ReadonlyMap<string, number>;
  /** The costliest first. */
  readonly files: readonly FileFigures[];
  readonly starts: number;
}

/** @param loop CPU seconds of the fixed loop on the machine of reference */
export function figuresOf({ laps, loops }: Run, loop: number): Figures {
  const slowness = (loops.toSorted((a, b) => a - b)[Math.floor(loops.length / 2)] ?? loop) / loop;
  const kinds = new Map<string, number>();
  const files = new Map<string, FileFigures>();
  const add = (kind: string, seconds: number) => {
    kinds.set(kind, (kinds.get(kind) ?? 0) + seconds);
    return seconds;
  };
  let [total, starts] = [0, 0];
  for (const lap of laps) {
    const [name, kind] = [nameOf(lap), kindOf(lap)];
    // The time of a process that nobody waited for is missing afterwards.
    const seconds = Math.max(0, lap.seconds / slowness);
    total += add(kind, seconds);
    for (const [server, taken] of Object.entries(lap.servers)) {
      total += add(server, Math.max(0, taken / slowness));
    }
    starts += lap.starts;
    if (lap.file === '') continue;
    const before = files.get(name) ?? { seconds: 0, starts: 0, waited: 0 };
    files.set(name, {
      ...{ name, kind },
      seconds: before.seconds + seconds,
      starts: before.starts + lap.starts,
      waited: before.waited + lap.waited,
    });
  }
  const sorted = [...files.values()].sort((a, b) => b.seconds - a.seconds);
  return { slowness, total, kinds, starts, files: sorted };
}

const isOnPostgres = ({ stage }: Lap) => stage === 'postgres';
const nameOf = (lap: Lap) => (isOnPostgres(lap) ? `${lap.file} on PostgreSQL` : lap.file);

function kindOf(lap: Lap): string {
  if (lap.file === '') return 'start of mocha';
  if (isOnPostgres(lap)) return 'on PostgreSQL';
  return /\.(slow|whole)\.test\.ts$/.exec(lap.file)?.[1] ?? 'short';
}
