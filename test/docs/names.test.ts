import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { variables } from '../../core/config/config.js';
import { ROOT, pages } from '../support/docs/pages.js';

/** Variables of other programs that the pages name. */
const OTHERS = {
  'Node.js': ['NODE_EXTRA_CA_CERTS', 'UV_THREADPOOL_SIZE'],
  Linux: ['CAP_NET_BIND_SERVICE'],
  MailHog: ['MH_STORAGE'],
};
const known = new Set([
  ...Object.values(variables).flatMap(Object.keys),
  ...Object.values(OTHERS).flat(),
]);

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

describe('the names in the documentation', () => {
  for (const { path, text, blocks } of pages) {
    const settings = blocks.filter(({ check }) => check.includes('framework-settings'));
    const own = settings.reduce((rest, { code }) => rest.replace(code, ''), text);

    it(`are variables of the configuration in ${path}`, () => {
      for (const [name] of own.matchAll(/(?<![\w/])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w/])/g)) {
        expect(known, name).to.include(name);
      }
    });

    it(`are scripts of package.json in ${path}`, () => {
      for (const [, name = ''] of own.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)) {
        expect(scripts, path).to.have.property(name);
      }
    });

    it(`are files of the repository in ${path}`, () => {
      const quoted = [...own.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name);
      const commands = blocks.filter(({ language }) => language === 'sh');
      const words = [...quoted, ...commands.flatMap(({ code }) => code.split(/\s+/))];
      const files = words.filter((word) =>
        /^(?:\.\/)?(?:api|core|db|dist|docs|haraka-plugin|jobs|scripts|test)\/[\w./-]*$/.test(word),
      );
      for (const file of files) {
        const source = file.replace(/^dist\/(.*)\.js$/, '$1.ts');
        expect(existsSync(join(ROOT, source)), file).to.equal(true);
      }
    });
  }
});
