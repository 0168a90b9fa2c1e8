import { expect } from 'chai';
import { cpuOf } from '../../hostile/measure.ts';
import { HOSTILE_PAGES, HOSTILE_TEXTS } from './hostile.ts';
import { extractFrom, inBody } from './mail-parts.ts';

/**
 * In milliseconds of CPU. A quadratic pattern takes half a minute, so the limit holds on a loaded
 * machine.
 */
const MAX_CPU_MS = 2000;

describe('Hostile mail of 256 KiB', () => {
  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    it(`as text: ${name}`, async () => {
      const parts = { text, subject: text.slice(0, 10_000) };
      expect(await cpuOf(() => extractFrom(parts))).to.be.below(MAX_CPU_MS);
    });
  }

  for (const [name, html] of Object.entries(HOSTILE_PAGES)) {
    it(`as HTML: ${name}`, async () => {
      expect(await cpuOf(() => extractFrom({ html }))).to.be.below(MAX_CPU_MS);
    });
  }

  it('in the header fields', async () => {
    const field = '<https://a.example/'.repeat(50_000);
    expect(
      await cpuOf(() =>
        extractFrom({ listUnsubscribe: field, listUnsubscribePost: ' '.repeat(1_000_000) }),
      ),
    ).to.be.below(MAX_CPU_MS);
  });

  it('is read up to 1 MiB of HTML', () => {
    const html = inBody(`${'<p>Hello</p>'.repeat(100_000)}<p>Your code is 482913</p>`);
    const { code, truncated } = extractFrom({ html });
    expect({ code, truncated }).to.deep.equal({ code: null, truncated: true });
  });
});
