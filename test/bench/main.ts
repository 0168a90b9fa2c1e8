/**
 * `npm run bench`: starts the product like `up`, in temporary folders, and measures it from
 * outside. Arguments select the parts: `npm run bench -- intake webhooks`. `--sizes
 * 1000,100000,1000000` sets the numbers of stored messages at which reads are measured; `--workers
 * 2` and `--webs 2` the numbers of processes; `--waits 300,2000` and `--claims 1000` the numbers of
 * waits and of messages to claim; `--json FILE` writes the results; `--profile` writes CPU profiles
 * of every process and prints the hottest functions; `--floor` adds a bare Haraka to the part
 * `intake`.
 */
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { caughtFigures } from './parts/caught.ts';
import { claimFigures } from './parts/claims.ts';
import { dashboardFigures } from './parts/dashboard.ts';
import { expiryFigures } from './parts/expiry.ts';
import { fairnessFigures } from './parts/fairness.ts';
import { type Figure, table } from './figures.ts';
import { floodFigures } from './parts/floods.ts';
import { intakeFigures } from './parts/intake.ts';
import { mailboxFigures } from './parts/mailboxes.ts';
import { manyFigures } from './parts/many.ts';
import { memoryFigures } from './parts/memory.ts';
import { hottestPlaces } from './profiles.ts';
import { readFigures } from './parts/reads.ts';
import { searchFigures } from './parts/search.ts';
import { settings } from './settings.ts';
import { slowDiskFigures } from './parts/slow-disk.ts';
import { startUpFigures } from './parts/start-up.ts';
import { sustainedFigures } from './parts/sustained.ts';
import { onProduct } from './target.ts';
import { walkFigures } from './parts/walks.ts';
import { waitNeighborFigures } from './parts/wait-neighbors.ts';
import { waitTextFigures } from './parts/wait-texts.ts';
import { waitFigures } from './parts/waits.ts';
import { webhookFigures } from './parts/webhooks.ts';
import { workerMemoryFigures } from './parts/worker-memory.ts';

const parts = new Map<string, () => Promise<Figure[]>>([
  ['intake', intakeFigures],
  ['sustained', sustainedFigures],
  ['slow-disk', slowDiskFigures],
  ['caught', caughtFigures],
  ['reads', readFigures],
  ['mailboxes', mailboxFigures],
  ['expiry', expiryFigures],
  ['webhooks', webhookFigures],
  ['fairness', fairnessFigures],
  ['floods', floodFigures],
  ['memory', () => onProduct(({ product }) => memoryFigures(product))],
  ['webhook-memory', workerMemoryFigures],
  ['dashboard', dashboardFigures],
  ['start-up', startUpFigures],
  ['many', manyFigures],
  ['waits', waitFigures],
  ['wait-neighbors', waitNeighborFigures],
  ['wait-texts', waitTextFigures],
  ['claims', claimFigures],
  ['search', searchFigures],
  ['walks', walkFigures],
]);

const unknown = settings.parts.filter((name) => !parts.has(name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no ${unknown.join(', ')}; the parts are ${[...parts.keys()].join(', ')}.\n`,
  );
  process.exit(1);
}

process.stdout.write(`Node ${process.version}, ${cpus().length} cores; load generator included\n`);
const measured: { part: string; loadBefore: number; figures: Figure[] }[] = [];
for (const [part, measure] of parts) {
  if (settings.parts.length > 0 && !settings.parts.includes(part)) continue;
  const loadBefore = loadavg()[0] ?? NaN;
  const figures = await measure();
  if (figures.length === 0) continue;
  measured.push({ part, loadBefore, figures });
  process.stdout.write(`\n${part} (load ${loadBefore.toFixed(1)} before)\n${table(figures)}\n`);
}
if (settings.json !== null) {
  await writeFile(
    settings.json,
    `${JSON.stringify({ node: process.version, measured }, null, 2)}\n`,
  );
}
if (settings.profile !== null) {
  process.stdout.write(
    `\nprofiles in ${settings.profile}\n${await hottestPlaces(settings.profile)}\n`,
  );
}
