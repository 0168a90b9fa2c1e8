/**
 * Root hooks of mocha: what each file of tests takes, appended to a file of this process in the
 * folder TEST_USE_FOLDER, for test/runner/report.ts. Without the variable, or without /proc,
 * nothing is measured.
 */
import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '../../core/root.ts';
import type { Lap } from './figures.ts';
import { type Tree, readTree } from './process-tree.ts';
import { watchWaits } from './waits.ts';

const { TEST_USE_FOLDER: folder, TEST_STAGE: stage = '' } = process.env;
/** The fixed loop. */
const NUMBERS = 2 ** 18;
const ROUNDS = 3;
const NONE: Tree = { seconds: 0, servers: new Map(), isBusy: false };

let last = NONE;
let starts = 0;
let waitedMs = 0;

/** Notes a start of the product. */
export function countStart(): void {
  starts += 1;
}

/** Ends the measurement of this file, and begins that of the next. */
export function endLap(file: string): void {
  const tree = folder === undefined ? null : readTree(process.pid);
  if (tree) write(lapOf(relative(ROOT, file), tree));
}

/**
 * For a process that runs mocha beside servers: notes what the servers have taken, and not what
 * mocha has, which measures itself.
 */
export function noteServers(): void {
  const tree = folder === undefined ? null : readTree(process.pid);
  if (tree) write({ ...lapOf('', tree), seconds: 0 });
}

function lapOf(file: string, tree: Tree): Lap {
  const servers: Record<string, number> = {};
  let seconds = tree.seconds - last.seconds;
  for (const [pid, server] of tree.servers) {
    const taken = server.seconds - (last.servers.get(pid)?.seconds ?? 0);
    seconds -= taken;
    servers[server.name] = (servers[server.name] ?? 0) + taken;
  }
  const lap = { stage, file, seconds, servers, starts, waited: waitedMs / 1000 };
  [last, starts, waitedMs] = [tree, 0, 0];
  return lap;
}

function write(line: object): void {
  if (folder !== undefined) {
    appendFileSync(join(folder, `${stage}-${process.pid}.jsonl`), `${JSON.stringify(line)}\n`);
  }
}

/**
 * CPU seconds of a fixed piece of work: numbers are made and sorted. Figures of different machines,
 * and of a machine under different load, are compared in units of it.
 */
function timeLoop(): number {
  const before = process.cpuUsage();
  const numbers = new Uint32Array(NUMBERS);
  for (let round = 1; round <= ROUNDS; round += 1) {
    let value = round;
    for (let n = 0; n < NUMBERS; n += 1) {
      value ^= value << 13;
      value ^= value >>> 17;
      value ^= value << 5;
      numbers[n] = value;
    }
    numbers.sort();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

export const mochaHooks = {
  afterAll(this: Mocha.Context) {
    // In a parallel run this hook runs after each file. The reporter sees the files of other runs.
    const file = this.test?.parent?.suites[0]?.file;
    if (process.env.MOCHA_WORKER_ID !== undefined && file !== undefined) endLap(file);
  },
};

// A run of mocha that a test starts belongs to the test.
if (process.env.MOCHA_WORKER_ID !== undefined) delete process.env.TEST_USE_FOLDER;
if (folder !== undefined && readTree(process.pid)) {
  write({ loop: timeLoop() });
  // The start of the process belongs to no file.
  endLap('');
  watchWaits((milliseconds) => (waitedMs += milliseconds));
}
