import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
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
  /** Writes its name on stderr, its arguments to a file. Fails if a file `broken-NAME` exists. */
  const standIn = (file: string, name: string) =>
    write(
      file,
      `#!/bin/sh\nname=${name}\necho "ran $name" >&2\nname=\${name##*/}\necho "$*" >>"dist/arguments-$name"
      ! [ -e "broken-$name" ]\n`,
      0o755,
    );
  const argumentsOf = (name: string) => readFile(join(dir.path, `dist/arguments-${name}`), 'utf8');

  // The checks pass at the begin and at the end of each test.
  before(async () => {
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
  after(() => dir.remove());

  const check = (...args: string[]) => checkIn('long', ...args);
  const checkIn = (form: 'short' | 'long', ...args: string[]) => {
    const { status, stderr } = spawnSync(join(dir.path, 'scripts/check'), args, {
      cwd: dir.path,
      env: { ...process.env, PATH: `${dir.path}/bin:${process.env.PATH ?? ''}`, TEST_FORM: form },
      encoding: 'utf8',
    });
    const ran = [...stderr.matchAll(/^ran (\S+)$/gm)].map(([, name = '']) => name);
    return { status, ran };
  };

  it('runs after a change of a file what reads it', async () => {
    const readers = {
      'docs/api.md': ALL_FILES,
      'docs/new.md': ALL_FILES,
      'db/open.ts': [...ALL_FILES, 'check-migrations'],
      'openapi.yaml': EVERY_CHECK.filter((name) => name !== 'check-migrations'),
      'package-lock.json': EVERY_CHECK,
      'node_modules/.package-lock.json': EVERY_CHECK,
      'dist/api/app.js': [],
      'node_modules/other/index.js': [],
    };
    for (const [file, ran] of Object.entries(readers)) {
      await write(file, 'changed');
      expect(check('--all'), file).to.deep.equal({ status: 0, ran });
    }
    expect(check('--all')).to.deep.equal({ status: 0, ran: [] });
  });

  it('runs the checks after one that fails, and only that one again', async () => {
    await write('docs/api.md', 'changed again');
    await write('broken-lint-texts.ts', '');
    expect(check('--all')).to.deep.equal({ status: 1, ran: ALL_FILES });
    expect(check('--all')).to.deep.equal({ status: 1, ran: [TEXTS] });
    await rm(join(dir.path, 'broken-lint-texts.ts'));
    expect(check('--all')).to.deep.equal({ status: 0, ran: ALL_FILES });
  });

  describe('of what has changed', () => {
    const git = (...args: string[]) => {
      const all = ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args];
      expect(spawnSync('git', all, { cwd: dir.path }).status).to.equal(0);
    };
    before(async () => {
      await write('.gitignore', 'node_modules\ndist\nbin\n');
      git('init', '--quiet', '--initial-branch', 'main');
      git('add', '.');
      git('commit', '--quiet', '--message', 'all');
    });
    afterEach(() => {
      git('reset', '--quiet', '--hard');
      git('clean', '--quiet', '--force', '-d');
    });

    const OF_CODE = ['prettier', 'check-types', 'oxlint', 'depcruise', 'depcruise', PATTERNS];

    it('checks the files that differ from the last commit, and all types', async () => {
      expect(check()).to.deep.equal({ status: 0, ran: ['check-types'] });
      await write('docs/api.md', 'differs');
      expect(check()).to.deep.equal({ status: 0, ran: ['prettier', 'check-types'] });
      await write('db/new.ts', 'new');
      expect(check()).to.deep.equal({ status: 0, ran: OF_CODE });
      expect(await argumentsOf('oxlint')).to.include('--type-aware db/new.ts\n');
      expect(await argumentsOf('depcruise')).to.match(/\.dependency-cruiser\.js .*db\/new\.ts\n/);
    });

    it('corrects format and lint with --fix, then checks', async () => {
      await write('db/new.ts', 'new');
      expect(check('--fix')).to.deep.equal({ status: 0, ran: ['oxlint', 'prettier', ...OF_CODE] });
      expect(await argumentsOf('oxlint')).to.match(/ --fix db\/new\.ts\n/);
      expect(await argumentsOf('prettier')).to.match(/^--write .*db\/new\.ts\n/m);
    });

    it('reports all faults in one run', async () => {
      await write('db/new.ts', 'new');
      for (const name of ['prettier', 'check-types', 'oxlint']) await write(`broken-${name}`, '');
      expect(check()).to.deep.equal({ status: 1, ran: OF_CODE });
    });

    it('checks format and lint of the staged files for the hook', async () => {
      await write('db/open.ts', 'differs');
      expect(check('--staged')).to.deep.equal({ status: 0, ran: [] });
      git('add', 'db/open.ts');
      expect(check('--staged')).to.deep.equal({ status: 0, ran: ['prettier', 'oxlint'] });
      await write('broken-oxlint', '');
      expect(check('--staged')).to.deep.equal({ status: 1, ran: ['prettier', 'oxlint'] });
    });

    it('checks the format of what differs from the default branch in the short form of the tests', async () => {
      git('switch', '--quiet', '--create', 'feature');
      await write('db/open.ts', 'differs');
      git('commit', '--quiet', '--all', '--message', 'a commit of the branch');
      const ran = [...ALL_FILES, 'check-migrations'];
      expect(checkIn('short', '--all')).to.deep.equal({ status: 0, ran });
      git('switch', '--quiet', 'main');
      await write('package-lock.json', 'text');
      git('add', '.');
      git('commit', '--quiet', '--message', 'a commit of the default branch');
      expect(checkIn('short', '--all')).to.deep.equal({
        status: 0,
        ran: EVERY_CHECK.filter((name) => name !== 'prettier'),
      });
      git('branch', '--move', 'other');
      await write('package-lock.json', 'differs');
      expect(checkIn('short', '--all').ran).to.include('prettier');
    });
  });

  it('rejects an option that does not exist', () => {
    expect(check('--fast')).to.deep.equal({ status: 2, ran: [] });
  });
});
