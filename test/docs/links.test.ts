import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { page, pages } from '../support/docs/pages.ts';

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
