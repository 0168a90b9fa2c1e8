/** Preloaded by a process: records its CPU profile and writes it at exit. */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, dirname, join } from 'node:path';

const folder = process.env.BENCH_PROFILES;
if (folder !== undefined) {
  const script = process.argv[1] ?? '';
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.start');
  process.on('exit', () => {
    session.post('Profiler.stop', (fault, stopped) => {
      if (fault) return;
      const name = `${basename(dirname(script))}-${basename(script, '.js')}-${process.pid}.cpuprofile`;
      writeFileSync(join(folder, name), JSON.stringify(stopped.profile));
    });
  });
}
