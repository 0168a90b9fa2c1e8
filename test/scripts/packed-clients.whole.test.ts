import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { tempDir } from '../support/context/temp-dir.ts';

const licenseOf = (folder: string) => readFileSync(join(ROOT, folder, 'LICENSE'), 'utf8');

/**
 * The environment of a user's terminal, without the settings of the npm that runs the tests, whose
 * compile cache would be in the package.
 */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_config_|^NODE_COMPILE_CACHE$/i.test(name)),
);

describe('the packages of the clients', () => {
  const checkout = tempDir('all');
  before(async () => {
    for (const name of [
      'openapi.yaml',
      'packages',
      'scripts',
      'package.json',
      'package-lock.json',
      '.npmrc',
    ]) {
      cpSync(join(ROOT, name), join(checkout.path, name), {
        recursive: true,
        filter: (source) => basename(source) !== 'dist',
      });
    }
    for (const name of ['node_modules', '.node']) {
      symlinkSync(join(ROOT, name), join(checkout.path, name));
    }
  });

  for (const [name, entries] of Object.entries({
    client: ['dist/index.mjs', 'dist/index.js', 'dist/index.d.ts'],
    cli: ['dist/mayfly.js'],
  })) {
    it(`have code and license after npm pack in a checkout that is not built: ${name}`, () => {
      const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], {
        cwd: join(checkout.path, 'packages', name),
        encoding: 'utf8',
        env: environment,
      });
      const [{ files, size }] = JSON.parse(printed) as [
        { files: { path: string }[]; size: number },
      ];
      const paths = files.map(({ path }) => path);
      expect(paths).to.include.members(['LICENSE', 'README.md', 'package.json', ...entries]);
      if (name === 'client') expect(size).to.be.below(40_000);
    });
  }

  for (const entry of ['index.mjs', 'index.js']) {
    it(`load less than 15 KB, packed, with the main entry: ${entry}`, () => {
      const read = (file: string) => readFileSync(join(ROOT, 'packages/client/dist', file), 'utf8');
      const loaded = new Map<string, string>();
      const load = (file: string) => {
        if (loaded.has(file)) return;
        const code = read(file);
        loaded.set(file, code);
        for (const [, next = ''] of code.matchAll(/["']\.\/([^"']+\.m?js)["']/g)) load(next);
      };
      load(entry);
      expect(loaded).to.have.property('size').above(1);
      expect(gzipSync([...loaded.values()].join('')).length).to.be.below(15_000);
    });
  }

  it('have the license of the repository', () => {
    for (const name of ['client', 'cli', 'python']) {
      expect(licenseOf(`packages/${name}`), name).to.equal(licenseOf('.'));
    }
  });
});
