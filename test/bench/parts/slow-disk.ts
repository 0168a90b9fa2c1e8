/**
 * Intake on the disk of this machine, and on one that takes 2 ms more for each fsync, as disks of
 * cloud providers do. A library that the C compiler builds from slow-fsync.c is preloaded by Redis
 * and by the processes that write to SQLite.
 */
import { join } from 'node:path';
import { makeTempDir } from '../../support/context/temp-dir.ts';
import { run } from '../../support/process/programs.ts';
import { benchMail } from '../../load/mails.ts';
import type { Figure } from '../figures.ts';
import { onProduct } from '../target.ts';
import { intakeLatency, intakeRate } from './intake.ts';

const FSYNC_US = 2000;
const SOURCE = join(import.meta.dirname, '..', 'slow-fsync.c');

export async function slowDiskFigures(): Promise<Figure[]> {
  const folder = await makeTempDir();
  try {
    const library = join(folder.path, 'slow-fsync.so');
    run('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl']);
    const slow = { LD_PRELOAD: library, FSYNC_US: `${FSYNC_US}` };
    return [
      ...(await figuresOn('disk of this machine', {})),
      ...(await figuresOn('fsync of 2 ms', slow)),
    ];
  } finally {
    await folder.remove();
  }
}

function figuresOn(disk: string, env: Record<string, string>): Promise<Figure[]> {
  const load = { body: benchMail(2048), connections: 20 };
  return onProduct(async (target) => {
    const kept = { ...load, newConnectionEach: false };
    const ownEach = { ...load, newConnectionEach: true };
    await intakeRate(target, 'warm-up', { ...kept, mails: 1000 });
    const figures = [
      ...(await intakeRate(target, '2 KB, 20 kept connections', { ...kept, mails: 3000 })),
      ...(await intakeRate(target, '2 KB, a connection each', { ...ownEach, mails: 2000 })),
      ...(await intakeLatency(target)),
    ];
    return figures.map(({ work, ...figure }) => ({ ...figure, work: `${disk}: ${work.trim()}` }));
  }, env);
}
