import { cp, readFile, symlink } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { run } from '../support/process/programs.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Whether `COPY . .` copies a file: the last pattern that matches it or its folder decides. */
function isInContext(file: string, patterns: string[]): boolean {
  const parts = file.split('/');
  const places = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  return patterns.reduce((isCopied, pattern) => {
    const glob = pattern.replace(/^!/, '');
    const matches = places.some((place) => glob === '*' || matchesGlob(place, glob));
    return matches ? pattern.startsWith('!') : isCopied;
  }, true);
}

describe('the image', () => {
  let folder: TempDir;
  beforeEach(async () => {
    folder = await makeTempDir();
  });
  afterEach(() => folder.remove());

  it('is built from the files that .dockerignore leaves, and has the programs of its commands', async () => {
    const dockerfile = read('Dockerfile');
    const [, build, product = ''] = /^RUN (scripts\/\S+) (\/\S+)$/m.exec(dockerfile) ?? [];
    const [, main = ''] = /^CMD \["node", "(\S+)"\]$/m.exec(dockerfile) ?? [];
    const [, packages = ''] = /^COPY (\S.*) \.\/$/m.exec(dockerfile) ?? [];
    expect(dockerfile)
      .to.match(/^COPY \. \.$/m)
      .and.include(`COPY --from=build ${product} ./`);

    const patterns = read('.dockerignore').trim().split('\n');
    for (const file of packages.split(' ')) {
      expect(isInContext(file, patterns), file).to.equal(true);
    }
    const files = run('git', ['ls-files', '--cached', '--others', '--exclude-standard']);
    const checkout = join(folder.path, 'build');
    for (const file of files.trim().split('\n')) {
      if (existsSync(join(ROOT, file)) && isInContext(file, patterns)) {
        await cp(join(ROOT, file), join(checkout, file));
      }
    }
    for (const name of ['node_modules', '.node']) {
      if (existsSync(join(ROOT, name))) await symlink(join(ROOT, name), join(checkout, name));
    }
    const staged = join(folder.path, product);
    run(join(checkout, build!), [staged], { cwd: checkout, stdio: 'pipe' });

    const programs = (await readFile(join(staged, 'Procfile'), 'utf8')).match(/dist\/\S+\.js/g);
    expect(programs).to.have.length.above(3);
    for (const program of [main, 'dist/dashboard/index.html', ...programs!]) {
      expect(existsSync(join(staged, program)), program).to.equal(true);
    }
  });
});
