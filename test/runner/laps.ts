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
