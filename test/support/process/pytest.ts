import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../../core/root.ts';
import { follow, isThere, run } from './programs.ts';

/** Whether Python has pytest. */
export const hasPytest = (): boolean =>
  isThere('python3') &&
  run('python3', ['-c', 'import importlib.util as u; print(u.find_spec("pytest"))']).trim() !==
    'None';

/** Runs the tests of the Python package in these files of its folder; fails unless they pass. */
export async function runPytest(
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const options = ['-q', '-p', 'no:cacheprovider', '-p', 'mayfly_mail.pytest_plugin'];
  const child = spawn('python3', ['-m', 'pytest', ...options, ...args], {
    ...{ cwd, stdio: ['ignore', 'pipe', 'pipe'] },
    env: {
      ...{ PATH: process.env.PATH, HOME: cwd, PYTHONDONTWRITEBYTECODE: '1' },
      ...{ PYTHONPATH: join(ROOT, 'packages/python/src'), ...env },
    },
  });
  const { output, exited } = follow(child);
  expect(await exited, output()).to.equal(0);
  return output();
}
