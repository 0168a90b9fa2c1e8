import { expect } from 'chai';
import { parseRetryAfter } from '../../../core/egress/response.ts';
import { nextDelay } from '../../../core/delivery/retry-schedule.ts';

const SCHEDULE = [30_000, 300_000, 1_800_000, 7_200_000, 21_600_000];
const plain = { retrySchedule: SCHEDULE, honorRetryAfter: false };
const honoring = { retrySchedule: SCHEDULE, honorRetryAfter: true };
const failed = { statusCode: 500, retryAfterMs: null };

describe('the retry schedule', () => {
  it('is 30 s, 5 min, 30 min, 2 h, 6 h after the failures, and then over', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((n) => nextDelay(plain, 'event', n, failed));
    expect(delays).to.deep.equal([...SCHEDULE, null, null]);
  });

  it('has no second attempt for a delivery made by hand', () => {
    for (const trigger of ['manual', 'test'] as const) {
      const asking = { statusCode: 503, retryAfterMs: 60_000 };
      expect(nextDelay(plain, trigger, 1, failed)).to.equal(null);
      expect(nextDelay(honoring, trigger, 1, asking)).to.equal(null);
    }
  });

  it('is the same whatever the failure, and whatever it asks for', () => {
    for (const statusCode of [null, 302, 404, 410, 429, 500, 503]) {
      const failure = { statusCode, retryAfterMs: 50_000 };
      expect(nextDelay(plain, 'event', 1, failure)).to.equal(30_000);
    }
  });

  describe('where Retry-After is honored', () => {
    for (const [statusCode, retryAfterMs, failures, expected] of [
      [429, 45_000, 1, 45_000],
      [503, 45_000, 1, 45_000],
      [429, 0, 1, 30_000],
      [429, 29_999, 1, 30_000],
      [429, 30_000, 1, 30_000],
      [429, 60_000, 1, 60_000],
      [429, 60_001, 1, 60_000],
      [429, Number.MAX_SAFE_INTEGER, 1, 60_000],
      [429, Number.MAX_SAFE_INTEGER, 5, 43_200_000],
      [429, null, 1, 30_000],
      [429, 45_000, 6, null],
      [500, 45_000, 1, 30_000],
      [404, 45_000, 1, 30_000],
      [302, 45_000, 1, 30_000],
      [null, 45_000, 1, 30_000],
    ] as const) {
      it(`failure ${failures} with ${statusCode} that asks for ${retryAfterMs} is followed in ${expected}`, () => {
        const failure = { statusCode, retryAfterMs };
        expect(nextDelay(honoring, 'event', failures, failure)).to.equal(expected);
      });
    }

    it('ends within the life of a message, at the very latest', () => {
      const asking = { statusCode: 429, retryAfterMs: Number.MAX_SAFE_INTEGER };
      const delays = [1, 2, 3, 4, 5].map((n) => nextDelay(honoring, 'event', n, asking) ?? 0);
      const attempts = 6 * 10_000;
      expect(delays.reduce((sum, delay) => sum + delay, attempts)).to.be.below(86_400_000);
    });
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  const TWO_WEEKS = 14 * 86_400_000;

  for (const [value, expected] of [
    ['0', 0],
    ['1', 1000],
    ['120', 120_000],
    ['0120', 120_000],
    ['99999999', TWO_WEEKS],
    ['999999999', TWO_WEEKS],
    ['9'.repeat(40), TWO_WEEKS],
    ['9'.repeat(400), TWO_WEEKS],
    ['Sun, 01 Mar 2026 12:02:00 GMT', 120_000],
    ['Sunday, 01-Mar-26 12:02:00 GMT', 120_000],
    ['Sun Mar  1 12:02:00 2026', 120_000],
    ['Sun, 01 Mar 2026 12:00:00 GMT', 0],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', TWO_WEEKS],
    [undefined, null],
    ['', null],
    ['-1', null],
    ['+1', null],
    ['1.5', null],
    ['1e3', null],
    ['0x10', null],
    ['120 s', null],
    ['120, 60', null],
    ['soon', null],
    ['١٢', null],
    ['2026-03-01T12:02:00Z', null],
    ['Sun, 01 Mar 2026 12:02:00', null],
    ['Sun, 01 Mar 2026 12:02:00 CET', null],
    ['Sun, 01 Mar 2026 12:02:00 +0100', null],
    ['Sun, 99 Mar 2026 12:02:00 GMT', null],
    ['Sun, 01 Mar 2026 25:02:00 GMT', null],
    ['Sun, 01 Abc 2026 12:02:00 GMT', null],
    ['Sun, (2027) 1 Mar 2026 GMT', null],
  ] as const) {
    it(`${JSON.stringify(value)} asks for ${expected}`, () => {
      expect(parseRetryAfter(value, now)).to.equal(expected);
    });
  }
});
