/** Preloaded by a process: counts the calls of each file between two signals SIGUSR2. */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

const folder = process.env.EXECUTED_FOLDER ?? '';
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

let readings = 0;
process.on('SIGUSR2', () => {
  // Each reading sets the counts back to 0.
  session.post('Profiler.takePreciseCoverage', (_fault, { result }) => {
    const called = result.filter(({ functions }) =>
      functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
    );
    readings += 1;
    const file = join(folder, `${process.pid}-${readings}.json`);
    writeFileSync(file, JSON.stringify(called.map(({ url }) => url)), { flush: true });
  });
});
