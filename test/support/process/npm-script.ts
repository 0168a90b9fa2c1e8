import { type SpawnSyncOptions, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { ROOT } from '../../../core/root.ts';

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')));

/**
 * Runs the command of `npm run NAME -- ARGUMENTS` without npm, which takes longer than most
 * scripts.
 */
export function npmScript(
  name: string,
  args: string[],
  options: Pick<SpawnSyncOptions, 'env' | 'input'>,
): SpawnSyncReturns<string> {
  const command = scripts[name];
  if (command === undefined) throw new Error(`package.json has no script ${name}`);
  return spawnSync('sh', ['-c', `${command} "$@"`, name, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    ...options,
  });
}
