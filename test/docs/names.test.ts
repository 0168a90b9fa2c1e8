import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { variables } from '../../core/config/config.ts';
import { type Page, pages } from '../support/docs/pages.ts';

/** Variables that the pages name and that are not of the configuration. */
const OTHERS = {
  'Node.js': ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'UV_THREADPOOL_SIZE'],
  Linux: ['CAP_NET_BIND_SERVICE', 'MALLOC_ARENA_MAX'],
  Django: ['EMAIL_USE_TLS'],
  'the XDG Base Directory Specification': ['XDG_DATA_HOME'],
  MailHog: ['MH_STORAGE'],
  'the shell of a reader': ['SMTP_URL'],
  'programs that connect to Mayfly': ['MAYFLY_URL', 'MAYFLY_TOKEN'],
  'compose.yaml': ['POSTGRES_PASSWORD', 'S3_SECRET_KEY'],
};
const known = new Set([
  ...Object.values(variables).flatMap(Object.keys),
  ...Object.values(OTHERS).flat(),
]);

const FILE =
  /^(?:\.\/)?(?:api|core|db|dist|docs|haraka-plugin|jobs|packages|scripts|test)\/[\w./-]*$/;

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** The text without the blocks of settings of other programs. */
const ownText = ({ text, blocks }: Page) =>
  blocks
    .filter(({ check }) => check.includes('framework-settings'))
    .reduce((rest, { code }) => rest.replace(code, ''), text);

describe('the names in the documentation', () => {
  it('are variables of the configuration', () => {
    for (const one of pages) {
      const names = ownText(one).matchAll(/(?<![\w/(])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w/])/g);
      for (const [name] of names) expect(known, one.path).to.include(name);
    }
  });

  it('are scripts of package.json', () => {
    for (const { path, text } of pages) {
      for (const [, name = ''] of text.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)/g)) {
        expect(scripts, path).to.have.property(name);
      }
    }
  });

  it('are files of the repository', () => {
    for (const { path, text, blocks } of pages) {
      const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name);
      const commands = blocks.filter(({ language }) => language === 'sh');
      const words = [...quoted, ...commands.flatMap(({ code }) => code.split(/\s+/))];
      for (const file of words.filter((word) => FILE.test(word))) {
        const source = file.replace(/^dist\/(.*)\.js$/, '$1.ts');
        expect(existsSync(join(ROOT, source)), `${path}: ${file}`).to.equal(true);
      }
    }
  });
});
