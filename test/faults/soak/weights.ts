import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../harness/bench.ts';

const MiB = 1024 * 1024;

/** Resident memory and open files of each process, and the size of the database, in one line. */
export async function weights(bench: Bench): Promise<string> {
  const processes = await Promise.all(
    [...bench.product().processes()].map(async ([name, pid]) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      const rss = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
      const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
      return `${name} ${rss.toFixed(0)} MiB, ${files.length} files`;
    }),
  );
  const sizes = await Promise.all(
    ['mayfly.sqlite', 'mayfly.sqlite-wal'].map(async (file) => {
      const { size } = await stat(join(bench.dataDir, file)).catch(() => ({ size: 0 }));
      return `${file} ${(size / MiB).toFixed(0)} MiB`;
    }),
  );
  return [...processes, ...sizes].join('; ');
}
