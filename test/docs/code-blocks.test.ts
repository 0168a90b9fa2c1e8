import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { ROOT } from '../../core/root.ts';
import { pages } from '../support/docs/pages.ts';
import { run } from '../support/process/programs.ts';

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
