import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { tempDir } from '../support/context/temp-dir.ts';
import { page } from '../support/docs/pages.ts';
import { run } from '../support/process/programs.ts';
import { COMMON, DEPENDENTS, WHOLE_AT, changesIn, unaffectedBy } from './by-change.ts';

const ALL = DEPENDENTS.map(({ title }) => title);
const affectedBy = (...changed: string[]) => {
  const unaffected = unaffectedBy(changed);
  return DEPENDENTS.filter((one) => !unaffected.includes(one)).map(({ title }) => title);
};

describe('the tests that the short form leaves out', () => {
  for (const [changed, affected] of Object.entries({
    'scripts/move/main.ts': ['moving'],
    'scripts/mover.ts': [],
    'docs/backup-and-restore.md': ['backup on PostgreSQL'],
    'docs/api.md': [],
    'db/statements/copy.ts': ['moving', 'backup on PostgreSQL'],
    'scripts/dev/main.ts': ['dev'],
    'scripts/build': ['build', 'packed clients', 'image'],
    'scripts/step': ['check'],
    'scripts/cli/first-workspace.ts': ['startMayfly', 'set-ups of test runners', 'recipes for CI'],
    'scripts/install': ['install'],
    'scripts/use-memory': ['test:only'],
    'packages/python/src/mayfly_mail/inbox.py': ['packed clients', 'startMayfly', 'pytest'],
    Dockerfile: ['image'],
    'core/mime/parse-mail.ts': ['memory'],
    'test/e2e/memory.whole.test.ts': ['memory'],
    'package-lock.json': ALL,
    [WHOLE_AT]: [],
  })) {
    it(`are all but ${affected.join(', ') || 'none'} after a change of ${changed}`, () => {
      expect(affectedBy('README.md', changed)).to.deep.equal(affected);
    });
  }

  it('and what they depend on exist', () => {
    for (const { file, test, paths } of DEPENDENTS) {
      for (const path of [file, ...paths, ...COMMON]) {
        expect(existsSync(join(ROOT, path)), path).to.equal(true);
      }
      if (test !== undefined) {
        const found = run('git', ['grep', '-cF', `it('${test}'`, '--', file]);
        expect(found.trim()).to.equal(`${file}:1`);
      }
    }
  });

  it('stand in docs/developing.md', () => {
    const rows = page('docs/developing.md')
      .text.split('\n')
      .map((line) => line.split('|'));
    const shown = rows.map(([, title = '', paths = '']) => [
      title.trim(),
      [...paths.matchAll(/`([^`]+)`/g)].map(([, path]) => path),
    ]);
    expect(shown).to.deep.include.members(
      DEPENDENTS.map(({ title, file, paths }) => [title, [file, ...paths]]),
    );
  });
});

describe('the files that differ from the commit in test/whole-at', () => {
  const dir = tempDir('each');
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args], { cwd: dir.path });
  const write = async (file: string, text: string) => {
    await mkdir(join(dir.path, dirname(file)), { recursive: true });
    await writeFile(join(dir.path, file), text);
  };
  const commit = () => {
    git('add', '.');
    git('commit', '--quiet', '--allow-empty', '-m', 'a commit');
  };

  beforeEach(async () => {
    git('init', '--quiet');
    await write('scripts/move/main.ts', 'good');
    await write('scripts/dev/main.ts', 'good');
    commit();
    await write(WHOLE_AT, git('rev-parse', 'HEAD'));
    commit();
  });
  const changed = () => changesIn(dir.path)?.files.filter((file) => file !== WHOLE_AT);

  it('are those of later commits, of the working tree, and new ones', async () => {
    expect(changed()).to.deep.equal([]);
    await write('scripts/move/main.ts', 'a fault');
    expect(changed()).to.deep.equal(['scripts/move/main.ts']);
    expect(affectedBy(...(changed() ?? []))).to.deep.equal(['moving']);
    commit();
    expect(changed()).to.deep.equal(['scripts/move/main.ts']);
    await rename(join(dir.path, 'scripts/dev'), join(dir.path, 'scripts/moved'));
    await write('a new "file".ts', '');
    expect(changed()).to.have.members([
      ...['scripts/move/main.ts', 'scripts/dev/main.ts', 'scripts/moved/main.ts'],
      'a new "file".ts',
    ]);
  });

  it('are unknown in a clone without that commit, and outside of one', async () => {
    await write(WHOLE_AT, `${'0'.repeat(40)}\n`);
    expect(changesIn(dir.path)).to.equal(null);
    const shallow = join(dir.path, 'shallow');
    git('checkout', '--quiet', WHOLE_AT);
    git('clone', '--quiet', '--depth', '1', `file://${dir.path}`, shallow);
    expect(changesIn(shallow)).to.equal(null);
  });

  it('are refused too many commits later', () => {
    expect(changesIn(dir.path, 1)).to.include({ since: git('rev-parse', 'HEAD~1').trim() });
    commit();
    const refused = () => changesIn(dir.path, 1);
    expect(refused).to.throw('is 2 commits behind, more than 1. Run ./scripts/test --all');
  });
});
