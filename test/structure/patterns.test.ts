import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';

const PLANTED = [
  "const ATOM = '[a-z]+';",
  'export const worst = new RegExp(`^(?:${ATOM}|\\\\.)+$`);',
  'export const literal = /(a|a)*$/;',
  'export const linear = /^[a-z]{1,3}=/;',
  'export const later = (text: string) => new RegExp(`^${text}`);',
];

describe('lint of patterns', () => {
  let dir: TempDir;
  before(async () => {
    dir = await makeTempDir();
  });
  after(() => dir.remove());

  it('finds slow ones among literals and those of constants, and what is built later', async () => {
    const file = join(dir.path, 'planted.ts');
    await writeFile(file, PLANTED.join('\n'));
    const given = ['test/structure/lint-patterns.ts', relative(ROOT, file)];
    const env = { ...process.env, RECHECK_SYNC_BACKEND: 'pure' };
    const { status, stderr } = spawnSync('node', given, { cwd: ROOT, env, encoding: 'utf8' });
    const found = [...stderr.matchAll(/planted\.ts:(\d+) .*\n {4}(.*)/g)].map(
      ([, line, verdict]) => [Number(line), verdict],
    );
    expect(status, stderr).to.equal(1);
    expect(found).to.deep.equal([
      [5, 'is built by a function: build it when the module is loaded'],
      [3, 'exponential'],
      [2, 'exponential'],
    ]);
  });
});
