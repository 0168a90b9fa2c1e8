import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';

const licenseOf = (folder: string) => readFileSync(join(ROOT, folder, 'LICENSE'), 'utf8');

describe('the packages of the clients', () => {
  for (const [name, entries] of Object.entries({
    client: ['dist/index.mjs', 'dist/index.js', 'dist/index.d.ts'],
    cli: ['dist/mayfly.js'],
  })) {
    it(`have code and licence when their folder is packed: ${name}`, () => {
      const printed = execFileSync(
        'npm',
        ['pack', '--dry-run', '--json', '--silent', '--ignore-scripts=false'],
        { cwd: join(ROOT, 'packages', name), encoding: 'utf8' },
      );
      const [{ files }] = JSON.parse(printed) as [{ files: { path: string }[] }];
      const paths = files.map(({ path }) => path);
      expect(paths).to.include.members(['LICENSE', 'README.md', 'package.json', ...entries]);
    });
  }

  it('have the licence of the repository', () => {
    for (const name of ['client', 'cli', 'python']) {
      expect(licenseOf(`packages/${name}`), name).to.equal(licenseOf('.'));
    }
  });
});
