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
  'const { RegExp: Other } = globalThis;',
  "export const renamed = new Other('(a|a)*$');",
  "export const matched = (text: string) => text.match('^(?:a|a)*$');",
  "const TEXT = '(a|a)*$';",
  'export const searched = (text: string) => text.search(TEXT);',
  'export const build = (text: string) => new RegExp(`^(?:${text})*$`);',
];
/** Does not name `RegExp`. */
const CALLER = "import { build } from './planted.ts';\nexport const built = build('a|a');\n";

describe('lint of patterns', () => {
  let dir: TempDir;
  before(async () => {
    dir = await makeTempDir();
  });
  after(() => dir.remove());

  it('finds slow ones among literals and those of constants, and what is built later or hidden', async () => {
    const file = join(dir.path, 'planted.ts');
    await writeFile(file, PLANTED.join('\n'));
    const caller = join(dir.path, 'caller.ts');
    await writeFile(caller, CALLER);
    const files = [file, caller].map((one) => relative(ROOT, one));
    const given = ['test/structure/lint-patterns.ts', ...files];
    const env = { ...process.env, RECHECK_SYNC_BACKEND: 'pure' };
    const { status, stderr } = spawnSync('node', given, { cwd: ROOT, env, encoding: 'utf8' });
    const found = [...stderr.matchAll(/planted\.ts:(\d+) .*\n {4}(.*)/g)].map(
      ([, line, verdict]) => [Number(line), verdict],
    );
    expect(status, stderr).to.equal(1);
    const hides = 'hides a pattern: write a literal, or call RegExp';
    expect(found).to.deep.equal([
      [6, hides],
      [8, hides],
      [10, hides],
      [5, 'is built by a function: build it when the module is loaded'],
      [3, 'exponential'],
      [2, 'exponential'],
      [7, 'exponential'],
      [11, 'exponential'],
    ]);
  });
});
