import { expect } from 'chai';
import {
  beginData,
  startDataRate,
  endData,
  isTooSlow,
  countBytes,
} from '../../../haraka-plugin/limits.ts';

const MINUTE = 60_000;
const LIMITS = {
  minDataRate: 500,
  stallMs: 3 * MINUTE,
  maxDataMs: 30 * MINUTE,
  maxWithoutMailMs: 30 * MINUTE,
};
const NONE = { ...LIMITS, minDataRate: 0, maxDataMs: 0, maxWithoutMailMs: 0 };

describe('the data rate of a client', () => {
  const tooSlow = (rate: ReturnType<typeof startDataRate>, now: number, limits = LIMITS) =>
    isTooSlow(rate, limits, now);
  const sending = () => {
    const rate = startDataRate(0);
    beginData(rate, 0);
    return rate;
  };

  it('can pause for three minutes in one mail (RFC 5321 section 4.5.3.2.6)', () => {
    const rate = sending();
    expect(tooSlow(rate, 3 * MINUTE)).to.equal(false);
    expect(tooSlow(rate, 3 * MINUTE + 1)).to.equal(true);
  });

  it('must be 500 bytes per second since the start of DATA, without pauses', () => {
    const rate = sending();
    countBytes(rate, Buffer.alloc(30_000), 1);
    expect(tooSlow(rate, 4 * MINUTE)).to.equal(false);
    expect(tooSlow(rate, 4 * MINUTE + 1)).to.equal(true);
    countBytes(rate, Buffer.alloc(30_000), 4 * MINUTE);
    expect(tooSlow(rate, 5 * MINUTE)).to.equal(false);
    expect(tooSlow(rate, 5 * MINUTE + 1)).to.equal(true);
  });

  it('must complete a mail within half an hour, however fast it was before', () => {
    const rate = sending();
    countBytes(rate, Buffer.alloc(20_000_000), 1);
    expect(tooSlow(rate, 30 * MINUTE)).to.equal(false);
    expect(tooSlow(rate, 30 * MINUTE + 1)).to.equal(true);
  });

  it('is not limited if the limits are 0', () => {
    expect(tooSlow(sending(), 1000 * MINUTE, NONE)).to.equal(false);
    expect(tooSlow(startDataRate(0), 1000 * MINUTE, NONE)).to.equal(false);
  });

  it('allows three minutes for a command line', () => {
    const rate = startDataRate(0);
    countBytes(rate, Buffer.from('NO'), 10);
    countBytes(rate, Buffer.from('OP'), 20);
    expect(tooSlow(rate, 3 * MINUTE + 10)).to.equal(false);
    expect(tooSlow(rate, 3 * MINUTE + 11)).to.equal(true);
    countBytes(rate, Buffer.from('\r\nNO'), 3 * MINUTE);
    expect(tooSlow(rate, 6 * MINUTE)).to.equal(false);
    countBytes(rate, Buffer.from('OP\r\n'), 6 * MINUTE);
    expect(tooSlow(rate, 12 * MINUTE)).to.equal(false);
  });

  it('allows half an hour between two mails', () => {
    const rate = sending();
    endData(rate, 10 * MINUTE);
    expect(tooSlow(rate, 40 * MINUTE)).to.equal(false);
    expect(tooSlow(rate, 40 * MINUTE + 1)).to.equal(true);
  });
});
