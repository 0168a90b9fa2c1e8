import { expect } from 'chai';
import { urlsOfParts } from '../../../core/mime/shown-parts.ts';
import { cpuOf } from '../../hostile/measure.ts';

const part = { contentId: null, location: 'a1', base: 'thismessage:/' };
const html = (base: string, pictures: number) =>
  `<base href="${base}">${Array.from({ length: pictures }, (_, n) => `<img src=a${n}>`).join('')}`;

describe('pictures by their location', () => {
  it('are found from the base of the HTML', () => {
    const located = { ...part, location: 'http://x.test/b/a1' };
    const urls = urlsOfParts(html('http://x.test/b/', 3), 'thismessage:/', [located]);
    expect(urls).to.deep.equal([['a1']]);
  });

  it('take little time with a long base and many URLs', async () => {
    const long = html(`http://x.test/${'a/'.repeat(32_000)}`, 20_000);
    const short = html(`http://x.test/${'a/'.repeat(1000)}`, 20_000);
    const cost = await cpuOf(async () => {
      for (const each of [long, short]) await Promise.resolve(urlsOfParts(each, each, [part]));
    });
    expect(cost).to.be.below(1000);
  });
});
