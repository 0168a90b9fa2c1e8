/** What a run has taken, and its sums. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const lap = z.object({
  /** The run of mocha, as scripts/test names it. */
  stage: z.string(),
  /** From the root of the repository. Empty for what belongs to no file of tests. */
  file: z.string(),
  /** CPU seconds of the process and all below it, without those of the servers. */
  seconds: z.number(),
  /** CPU seconds by the name of a server that goes on after the file. */
  servers: z.record(z.string(), z.number()),
  /** Starts of the product. */
  starts: z.number(),
  /** Seconds in which the process and all below it only waited. */
  waited: z.number(),
});
const loop = z.object({ loop: z.number() });

export type Lap = z.infer<typeof lap>;

export interface Run {
  readonly laps: Lap[];
  /** CPU seconds of the fixed loop in each process of mocha. */
  readonly loops: number[];
}

/** What the processes of a run have written into a folder. */
export function readRun(folder: string): Run {
  const run: Run = { laps: [], loops: [] };
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.jsonl'))) {
    for (const line of readFileSync(join(folder, name), 'utf8').trim().split('\n')) {
      const read = z.union([lap, loop]).parse(JSON.parse(line));
      if ('loop' in read) run.loops.push(read.loop);
      else run.laps.push(read);
    }
  }
  return run;
}

export interface FileFigures {
  /** The path, followed by `on PostgreSQL` for a run there. */
  readonly name: string;
  readonly kind: string;
  readonly seconds: number;
  readonly starts: number;
  readonly waited: number;
}

/** All seconds of CPU time are those of the machine whose loop is given. */
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
