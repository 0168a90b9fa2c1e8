import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { ROOT, pages } from '../support/docs/pages.js';
import { run } from '../support/process/programs.js';

/** Languages whose blocks readers run or copy: each block says how it is checked. */
const CHECKED = new Set(['sh', 'js', 'python', 'ruby', 'ini', 'nginx']);

describe('the code blocks of the documentation', () => {
  for (const { path, blocks } of pages.filter((one) => one.blocks.length > 0)) {
    it(`have a language and a check that exists in ${path}`, () => {
      for (const { language, check, place } of blocks) {
        expect(language, place).not.to.equal('');
        if (check === '') {
          expect(CHECKED.has(language), place).to.equal(false);
          continue;
        }
        const [, file] = /^test=(\S+)$/.exec(check) ?? [];
        if (file === undefined) {
          expect(check, place).to.be.oneOf(['run', 'example']);
          expect(language, place).to.equal('sh');
        } else {
          expect(existsSync(join(ROOT, file)), `${place}: ${file}`).to.equal(true);
          expect(readFileSync(join(ROOT, file), 'utf8'), place).to.include(`'${path}'`);
        }
      }
    });

    it(`can be parsed in ${path}`, () => {
      for (const { language, code, place } of blocks) {
        if (language === 'sh') run('sh', ['-n', '-c', code]);
        if (language === 'json') expect(() => JSON.parse(code) as unknown, place).not.to.throw();
        if (language === 'yaml') expect(() => parse(code) as unknown, place).not.to.throw();
      }
    });
  }
});
