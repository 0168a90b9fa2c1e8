import { expect } from 'chai';
import { HOSTILE_PAGES, HOSTILE_TEXTS } from './hostile.ts';
import { extractFrom, inBody } from './mail-parts.ts';

/**
 * In milliseconds of CPU. A quadratic pattern takes minutes, so the limit holds on a loaded
 * machine.
 */
const MAX_CPU_MS = 5000;

describe('Hostile mail of 1 MiB', () => {
  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    it(`as text: ${name}`, () => {
      expect(cpuOf(() => extractFrom({ text, subject: text.slice(0, 10_000) }))).to.be.below(
        MAX_CPU_MS,
      );
    });
  }

  for (const [name, html] of Object.entries(HOSTILE_PAGES)) {
    it(`as HTML: ${name}`, () => {
      expect(cpuOf(() => extractFrom({ html }))).to.be.below(MAX_CPU_MS);
    });
  }

  it('in the header fields', () => {
    const field = '<https://a.example/'.repeat(50_000);
    expect(
      cpuOf(() =>
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

function cpuOf(action: () => unknown): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
