/**
 * `npm run bench`: starts the product like `up`, in temporary folders, and measures it from
 * outside. Arguments select the parts: `npm run bench -- intake webhooks`. `--sizes
 * 1000,100000,1000000` sets the numbers of stored messages at which reads are measured; `--workers
 * 2` and `--webs 2` the numbers of processes; `--waits 300,2000` and `--claims 1000` the numbers of
 * waits and of messages to claim; `--json FILE` writes the results; `--profile` writes CPU profiles
 * of every process and prints the hottest functions; `--floor` adds a bare Haraka to the part
 * `intake`; `--peer-smtp HOST:PORT` and `--peer-list URL` put the same load on a peer, whose CPU
 * time `--peer-pid PID` adds.
 */
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { caughtFigures } from './parts/caught.js';
import { claimFigures } from './parts/claims.js';
import { dashboardFigures } from './parts/dashboard.js';
import { expiryFigures } from './parts/expiry.js';
import { fairnessFigures } from './parts/fairness.js';
import { type Figure, table } from './figures.js';
import { intakeFigures } from './parts/intake.js';
import { mailboxFigures } from './parts/mailboxes.js';
import { manyFigures } from './parts/many.js';
import { memoryFigures } from './parts/memory.js';
import { peerFigures } from './parts/peer.js';
import { hottestPlaces } from './profiles.js';
import { readFigures } from './parts/reads.js';
import { searchFigures } from './parts/search.js';
import { settings } from './settings.js';
import { startUpFigures } from './parts/start-up.js';
import { onProduct } from './target.js';
import { waitFigures } from './parts/waits.js';
import { webhookFigures } from './parts/webhooks.js';
import { workerMemoryFigures } from './parts/worker-memory.js';

const parts = new Map<string, () => Promise<Figure[]>>([
  ['intake', intakeFigures],
  ['caught', caughtFigures],
  ['reads', readFigures],
  ['mailboxes', mailboxFigures],
  ['expiry', expiryFigures],
  ['webhooks', webhookFigures],
  ['fairness', fairnessFigures],
  ['memory', () => onProduct(({ product }) => memoryFigures(product))],
  ['webhook-memory', workerMemoryFigures],
  ['dashboard', dashboardFigures],
  ['start-up', startUpFigures],
  ['many', manyFigures],
  ['waits', waitFigures],
  ['claims', claimFigures],
  ['search', searchFigures],
  ['peer', peerFigures],
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
