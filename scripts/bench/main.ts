/**
 * `npm run bench`: starts the product as `up` does, in folders of its own, and measures it from outside.
 * Arguments choose the parts: `npm run bench -- intake webhooks`.
 */
import { cpus, loadavg } from 'node:os';
import { dashboardFigures } from './dashboard.js';
import { fairnessFigures } from './fairness.js';
import { type Figure, table } from './figures.js';
import { intakeFigures } from './intake.js';
import { memoryFigures } from './memory.js';
import { onProduct } from './target.js';
import { webhookFigures } from './webhooks.js';
import { workerMemoryFigures } from './worker-memory.js';

const parts = new Map<string, () => Promise<Figure[]>>([
  ['intake', intakeFigures],
  ['webhooks', webhookFigures],
  ['fairness', fairnessFigures],
  ['memory', () => onProduct(({ product }) => memoryFigures(product))],
  ['webhook-memory', workerMemoryFigures],
  ['dashboard', dashboardFigures],
]);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !parts.has(name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no ${unknown.join(', ')}; the parts are ${[...parts.keys()].join(', ')}.\n`,
  );
  process.exit(1);
}

process.stdout.write(`Node ${process.version}, ${cpus().length} cores; load generator included\n`);
for (const [name, measure] of parts) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const load = loadavg()[0]?.toFixed(1) ?? '?';
  process.stdout.write(`\n${name} (load ${load} before)\n${table(await measure())}\n`);
}
