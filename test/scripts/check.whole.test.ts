import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';

const SCRIPTS = join(ROOT, 'scripts/');
const TEXTS = 'test/structure/lint-texts.ts';
const PATTERNS = 'test/structure/lint-patterns.ts';
const SOURCES = ['check-types', 'prettier', 'oxlint', PATTERNS, TEXTS, 'depcruise', 'depcruise'];
const ALL_FILES = [...SOURCES, 'knip'];
const EVERY_CHECK = [...SOURCES, 'redocly', 'knip', 'check-migrations'];

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
    write(
      file,
      `#!/bin/sh\nname=${name}\necho "ran $name" >&2\n! [ -e "broken-\${name##*/}" ]\n`,
      0o755,
    );

  beforeEach(async () => {
    dir = await makeTempDir();
    await mkdir(join(dir.path, 'scripts'));
    for (const script of ['check', 'checksum', 'step', 'use-node']) {
      await copyFile(SCRIPTS + script, join(dir.path, 'scripts', script));
    }
    for (const tool of ['prettier', 'oxlint', 'depcruise', 'redocly', 'knip']) {
      await standIn(`node_modules/.bin/${tool}`, tool);
    }
    await standIn('bin/node', '$1');
    for (const script of ['check-types', 'check-migrations']) {
      await standIn(`scripts/${script}`, script);
    }
    for (const file of ['openapi.yaml', 'db/open.ts', 'docs/api.md', 'dist/api/app.js']) {
      await write(file, 'text');
    }
    expect(check('--all')).to.deep.equal({ status: 0, ran: EVERY_CHECK });
  });
  afterEach(() => dir.remove());

  const check = (...args: string[]) => {
    const { status, stderr } = spawnSync(join(dir.path, 'scripts/check'), args, {
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
      expect(check('--all')).to.deep.equal({ status: 0, ran: [] });
      await write(file, 'changed');
      expect(check('--all')).to.deep.equal({ status: 0, ran });
    });
  }

  it('runs a check again that has failed, and those after it', async () => {
    await write('docs/api.md', 'changed');
    await write('broken-lint-texts.ts', '');
    const failed = { status: 1, ran: ['check-types', 'prettier', 'oxlint', PATTERNS, TEXTS] };
    expect(check('--all')).to.deep.equal(failed);
    expect(check('--all')).to.deep.equal({ status: 1, ran: [TEXTS] });
    await rm(join(dir.path, 'broken-lint-texts.ts'));
    expect(check('--all')).to.deep.equal({ status: 0, ran: ALL_FILES });
  });

  describe('of what has changed', () => {
    const git = (...args: string[]) => {
      const all = ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args];
      expect(spawnSync('git', all, { cwd: dir.path }).status).to.equal(0);
    };
    beforeEach(async () => {
      await write('.gitignore', 'node_modules\ndist\nbin\n');
      git('init', '--quiet');
      git('add', '.');
      git('commit', '--quiet', '--message', 'all');
    });

    it('checks format and lint of the files that differ from the last commit, all types, and patterns', async () => {
      expect(check()).to.deep.equal({ status: 0, ran: ['check-types'] });
      await write('docs/api.md', 'changed');
      expect(check()).to.deep.equal({ status: 0, ran: ['prettier', 'check-types'] });
      await write('db/new.ts', 'new');
      const ran = ['prettier', 'oxlint', 'check-types', PATTERNS];
      expect(check()).to.deep.equal({ status: 0, ran });
    });

    it('fails if the format is wrong', async () => {
      await write('docs/api.md', 'changed');
      await write('broken-prettier', '');
      expect(check()).to.deep.equal({ status: 1, ran: ['prettier'] });
    });

    it('checks format and lint of the staged files for the hook', async () => {
      await write('db/open.ts', 'changed');
      expect(check('--staged')).to.deep.equal({ status: 0, ran: [] });
      git('add', 'db/open.ts');
      expect(check('--staged')).to.deep.equal({ status: 0, ran: ['prettier', 'oxlint'] });
      await write('broken-oxlint', '');
      expect(check('--staged')).to.deep.equal({ status: 1, ran: ['prettier', 'oxlint'] });
    });
  });

  it('rejects an option that does not exist', () => {
    expect(check('--fast')).to.deep.equal({ status: 2, ran: [] });
  });
});
