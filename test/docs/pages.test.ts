/** What all pages of the documentation fulfill: their links, names and code blocks. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { variables } from '../../core/config/config.ts';
import { ROOT } from '../../core/root.ts';
import { type Page, page, pages } from '../support/docs/pages.ts';
import { run } from '../support/process/programs.ts';

const LINK = /!?\[[^\]]*\]\(([^)\s]+)\)/g;
const MAX_IMAGE_BYTES = 150_000;

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (text: string) =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const withoutCode = (text: string) =>
  text.replace(/^( *)```[^]*?^\1```$/gm, '').replace(/`[^`\n]*`/g, (code) => code.slice(1, -1));

describe('the links of the documentation', () => {
  it('resolve', () => {
    for (const { path, text } of pages) {
      for (const [, target = ''] of withoutCode(text).matchAll(LINK)) {
        if (/^https:\/\//.test(target)) continue;
        const [file = '', anchor] = target.split('#');
        const to = file === '' ? path : normalize(join(dirname(path), file));
        expect(existsSync(join(ROOT, to)), `${path}: ${target}`).to.equal(true);
        if (anchor === undefined) continue;
        expect(anchorsOf(page(to).text), `${path}: ${target}`).to.include(anchor);
      }
    }
  });

  it('lead from docs/README.md to every page of docs', () => {
    const toc = page('docs/README.md').text;
    const others = pages.filter(({ path }) => /^docs\/(?!README)/.test(path));
    expect(others).to.have.length.above(15);
    for (const { path } of others) expect(toc).to.include(`](${path.replace('docs/', '')})`);
  });

  it('lead to small images', () => {
    const images = [...page('README.md').text.matchAll(/\]\((\S+\.png)\)/g)].map(
      ([, file]) => file,
    );
    expect(images).to.have.length(1);
    for (const file of images) {
      expect(statSync(join(ROOT, file ?? '')).size).to.be.below(MAX_IMAGE_BYTES);
    }
  });

  it('stand in a README of at most 150 lines', () => {
    expect(page('README.md').text.trimEnd().split('\n').length).to.be.at.most(150);
  });
});

/** Variables that the pages name and that are not of the configuration. */
const OTHERS = {
  'Node.js': ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'UV_THREADPOOL_SIZE'],
  'proxies of Node.js': ['NODE_USE_ENV_PROXY', 'NO_PROXY'],
  Linux: ['CAP_NET_BIND_SERVICE', 'MALLOC_ARENA_MAX'],
  Django: ['EMAIL_USE_TLS'],
  'the XDG Base Directory Specification': ['XDG_DATA_HOME'],
  MailHog: ['MH_STORAGE'],
  'encodings of PostgreSQL': ['SQL_ASCII'],
  'cypress-mailpit': ['MAILPIT_URL', 'MAILPIT_USERNAME', 'MAILPIT_PASSWORD'],
  'the shell of a reader': ['SMTP_URL'],
  'programs that connect to Mayfly': ['MAYFLY_URL', 'MAYFLY_TOKEN'],
  'programs that start Mayfly': ['MAYFLY_PACKAGE', 'MAYFLY_SMTP_PASSWORD'],
  'GitHub Actions': ['RUNNER_TEMP'],
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

  it('are programs of test/long', () => {
    const script = readFileSync(join(ROOT, 'test/long'), 'utf8');
    const programs = [...script.matchAll(/^([a-z| -]+)\) program=/gm)].flatMap(([, names = '']) =>
      names.split(' | '),
    );
    for (const { path, text } of pages) {
      for (const [, name] of text.matchAll(/test\/long (?:--postgres )?([a-z][\w-]*)/g)) {
        expect(programs, path).to.include(name);
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

/** Languages whose blocks readers run or copy: each block says how it is checked. */
const CHECKED = new Set(['sh', 'js', 'python', 'ruby', 'ini', 'nginx']);

describe('the code blocks of the documentation', () => {
  const all = pages.flatMap(({ path, blocks }) => blocks.map((block) => ({ path, ...block })));

  it('have a language, and a check that exists', () => {
    expect(all).to.have.length.above(40);
    for (const { path, language, check, place } of all) {
      expect(language, place).not.to.equal('');
      const [, file] = /^test=(\S+)$/.exec(check) ?? [];
      if (check === '') {
        expect(CHECKED.has(language), place).to.equal(false);
      } else if (file === undefined) {
        expect(check, place).to.be.oneOf(['run', 'example']);
        expect(language, place).to.equal('sh');
      } else {
        expect(existsSync(join(ROOT, file)), `${place}: ${file}`).to.equal(true);
        expect(readFileSync(join(ROOT, file), 'utf8'), place).to.include(`'${path}'`);
      }
    }
  });

  it('can be parsed', () => {
    for (const { language, code, place } of all) {
      if (language === 'sh') run('sh', ['-n', '-c', code]);
      if (language === 'json') expect(() => JSON.parse(code) as unknown, place).not.to.throw();
      if (language === 'yaml') expect(() => parse(code) as unknown, place).not.to.throw();
    }
  });
});
