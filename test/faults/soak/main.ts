/**
 * Mixed load for a number of minutes (first argument; default 30) while processes are killed,
 * stopped and suspended at random, or, with `--hostile`, beside hostile senders and clients, with
 * the times that a neighbor notices. The mail of an epoch is judged and deleted two epochs later,
 * so the run can be arbitrarily long. Prints figures per epoch; exits with 1 if anything went
 * wrong, or if the memory of a process grew.
 */
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bench, openBench } from '../harness/bench.ts';
import { type Finding, faultsOf } from '../harness/oracle.ts';
import { type Epoch, runEpoch } from './epoch.ts';
import { keepHostileCompany } from './hostile.ts';
import { type Sample, grownMemory } from './memory.ts';
import { type Noticed, noticedText, tooSlow, watchAsNeighbor } from './neighbor.ts';
import { killAtRandom } from './random-kills.ts';

const SHAPE = { connections: 4, pauseMs: 60, largeEvery: 40, around: 0 };
const EPOCH_MS = 60_000;
const MiB = 1024 * 1024;

const { positionals, values } = parseArgs({
  options: { hostile: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const minutes = Number(positionals[0] ?? 30);
const bench = await openBench({ env: { LOG_LEVEL: 'error' } });
const endAt = Date.now() + minutes * 60_000;
const began = Date.now();
const counts = new Map<string, number>();
const noticed: Noticed = { lists: [], visible: [] };
const total: Partial<Record<keyof Finding, number>> = {};
const waiting: Epoch[] = [];
const memory: Sample[] = [];
let over = false;
let wrong = 0;

const note = (text: string) => {
  console.log(`${((Date.now() - began) / 60_000).toFixed(1)} min | ${text}`);
};
const noteWrong = (error: unknown) => {
  wrong += 1;
  note(`WRONG: ${String(error)}`);
};
const judgeOldest = async () => {
  const epoch = waiting.shift();
  if (!epoch) return;
  const finding = await epoch.judge();
  for (const name of Object.keys(finding) as (keyof Finding)[]) {
    total[name] = (total[name] ?? 0) + finding[name];
  }
  const faults = faultsOf(finding).join(', ') || 'ok';
  note(`${finding.sent} sent, ${finding.accepted} accepted, ${finding.visible} visible: ${faults}`);
};

note(await weights(bench));
const isOver = () => over;
const disturbing = values.hostile
  ? [keepHostileCompany(bench, counts, isOver), watchAsNeighbor(bench, noticed, isOver)]
  : [killAtRandom(bench, counts, isOver)];
const disturbed = Promise.all(disturbing.map((work) => work.catch(noteWrong)));
for (let n = 1; Date.now() < endAt; n += 1) {
  const judging = waiting.length > 1 ? judgeOldest().catch(noteWrong) : null;
  const from = noticed.lists.length;
  waiting.push(await runEpoch(bench, `soak-${n}`, SHAPE, EPOCH_MS));
  await judging;
  note(await weights(bench));
  if (values.hostile) {
    note(`${noticedText(noticed, from)}; ${counts.get('streams open') ?? 0} streams open`);
  }
}
over = true;
await disturbed;
while (waiting.length > 0) await judgeOldest().catch(noteWrong);
await bench.isReady();
note(await weights(bench));
console.log(Object.fromEntries(counts));
console.log(total);
await bench.close();
wrong += faultsOf(total as Finding).length;
for (const grown of grownMemory(memory)) noteWrong(grown);
if (values.hostile) {
  console.log(noticedText(noticed));
  for (const slow of tooSlow(noticed)) noteWrong(slow);
}
console.log(wrong > 0 ? 'Something went wrong, see above.' : 'Nothing lost, nothing twice.');
process.exit(wrong > 0 ? 1 : 0);

/**
 * Resident memory and open files of each process, and the size of the database, in one line. Adds
 * the memory to the samples.
 */
async function weights(bench: Bench): Promise<string> {
  const sample = new Map<string, number>();
  const processes = await Promise.all(
    [...bench.product().processes()].map(async ([name, pid]) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      const rss = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
      if (rss > 0) sample.set(name, rss);
      const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
      return `${name} ${rss.toFixed(0)} MiB, ${files.length} files`;
    }),
  );
  memory.push(sample);
  const sizes = await Promise.all(
    ['mayfly.sqlite', 'mayfly.sqlite-wal'].map(async (file) => {
      const { size } = await stat(join(bench.dataDir, file)).catch(() => ({ size: 0 }));
      return `${file} ${(size / MiB).toFixed(0)} MiB`;
    }),
  );
  return [...processes, ...sizes].join('; ');
}
