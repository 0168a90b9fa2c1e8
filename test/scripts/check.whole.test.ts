import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';

const SCRIPTS = join(ROOT, 'scripts/');
const ALL_FILES = ['check-types', 'prettier', 'eslint', 'lint:texts', 'lint:imports', 'knip'];
const EVERY_CHECK = [
  ...[
    'check-types',
    'prettier',
    'eslint',
    'lint:texts',
    'lint:imports',
    'lint:api',
    'types:client',
    'knip',
  ],
  'check-migrations',
];

describe('scripts/check', () => {
  let dir: TempDir;

  const write = async (file: string, text: string, mode?: number) => {
    const path = join(dir.path, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    if (mode !== undefined) await chmod(path, mode);
  };
  /** Writes its name on stderr. Fails if a file `broken-NAME` exists. */
  const standIn = (file: string, name: string) =>
    write(file, `#!/bin/sh\necho "ran ${name}" >&2\n! [ -e "broken-${name}" ]\n`, 0o755);

  beforeEach(async () => {
    dir = await makeTempDir();
    await mkdir(join(dir.path, 'scripts'));
    for (const script of ['check', 'checksum', 'step', 'use-node']) {
      await copyFile(SCRIPTS + script, join(dir.path, 'scripts', script));
    }
    for (const tool of ['prettier', 'eslint', 'knip']) {
      await standIn(`node_modules/.bin/${tool}`, tool);
    }
    await standIn('bin/npm', '$3');
    for (const script of ['check-types', 'check-migrations']) {
      await standIn(`scripts/${script}`, script);
    }
    for (const file of ['openapi.yaml', 'db/open.ts', 'docs/api.md', 'dist/api/app.js']) {
      await write(file, 'text');
    }
    expect(check()).to.deep.equal({ status: 0, ran: EVERY_CHECK });
  });
  afterEach(() => dir.remove());

  const check = () => {
    const { status, stderr } = spawnSync(join(dir.path, 'scripts/check'), {
      cwd: dir.path,
      env: { ...process.env, PATH: `${dir.path}/bin:${process.env.PATH ?? ''}` },
      encoding: 'utf8',
    });
    const ran = [...stderr.matchAll(/^ran (\S+)$/gm)].map(([, name = '']) => name);
    return { status, ran };
  };

  for (const [file, ran] of Object.entries({
    'docs/api.md': ALL_FILES,
    'docs/new.md': ALL_FILES,
    'db/open.ts': [...ALL_FILES, 'check-migrations'],
    'openapi.yaml': EVERY_CHECK.filter((name) => name !== 'check-migrations'),
    'package-lock.json': EVERY_CHECK,
    'node_modules/.package-lock.json': EVERY_CHECK,
    'dist/api/app.js': [],
    'node_modules/other/index.js': [],
  })) {
    it(`runs ${ran.join(', ') || 'nothing'} after a change of ${file}`, async () => {
      expect(check()).to.deep.equal({ status: 0, ran: [] });
      await write(file, 'changed');
      expect(check()).to.deep.equal({ status: 0, ran });
    });
  }

  it('runs a check again that has failed, and those after it', async () => {
    await write('docs/api.md', 'changed');
    await write('broken-lint:texts', '');
    const failed = { status: 1, ran: ['check-types', 'prettier', 'eslint', 'lint:texts'] };
    expect(check()).to.deep.equal(failed);
    expect(check()).to.deep.equal({ status: 1, ran: ['lint:texts'] });
    await rm(join(dir.path, 'broken-lint:texts'));
    expect(check()).to.deep.equal({ status: 0, ran: ALL_FILES });
  });
});
