import { expect } from 'chai';
import { beginData, beginPace, endData, isTooSlow, noteBytes } from '../../haraka-plugin/pace.js';

const MINUTE = 60_000;
const LIMITS = {
  minDataRate: 500,
  stallMs: 3 * MINUTE,
  maxDataMs: 30 * MINUTE,
  maxWithoutMailMs: 30 * MINUTE,
};
const NONE = { ...LIMITS, minDataRate: 0, maxDataMs: 0, maxWithoutMailMs: 0 };

describe('the pace of a client', () => {
  const tooSlow = (pace: ReturnType<typeof beginPace>, now: number, limits = LIMITS) =>
    isTooSlow(pace, limits, now);
  const sending = () => {
    const pace = beginPace(0);
    beginData(pace, 0);
    return pace;
  };

  it('may pause for three minutes in one mail (RFC 5321 section 4.5.3.2.6)', () => {
    const pace = sending();
    expect(tooSlow(pace, 3 * MINUTE)).to.equal(false);
    expect(tooSlow(pace, 3 * MINUTE + 1)).to.equal(true);
  });

  it('must be 500 bytes a second since the beginning of DATA, pauses not counted', () => {
    const pace = sending();
    noteBytes(pace, Buffer.alloc(30_000), 1);
    expect(tooSlow(pace, 4 * MINUTE)).to.equal(false);
    expect(tooSlow(pace, 4 * MINUTE + 1)).to.equal(true);
    noteBytes(pace, Buffer.alloc(30_000), 4 * MINUTE);
    expect(tooSlow(pace, 5 * MINUTE)).to.equal(false);
    expect(tooSlow(pace, 5 * MINUTE + 1)).to.equal(true);
  });

  it('must bring a mail through in half an hour, however fast it was before', () => {
    const pace = sending();
    noteBytes(pace, Buffer.alloc(20_000_000), 1);
    expect(tooSlow(pace, 30 * MINUTE)).to.equal(false);
    expect(tooSlow(pace, 30 * MINUTE + 1)).to.equal(true);
  });

  it('may be any where nothing is asked for', () => {
    expect(tooSlow(sending(), 1000 * MINUTE, NONE)).to.equal(false);
    expect(tooSlow(beginPace(0), 1000 * MINUTE, NONE)).to.equal(false);
  });

  it('allows a command line three minutes from its first byte to its end', () => {
    const pace = beginPace(0);
    noteBytes(pace, Buffer.from('NO'), 10);
    noteBytes(pace, Buffer.from('OP'), 20);
    expect(tooSlow(pace, 3 * MINUTE + 10)).to.equal(false);
    expect(tooSlow(pace, 3 * MINUTE + 11)).to.equal(true);
    noteBytes(pace, Buffer.from('\r\nNO'), 3 * MINUTE);
    expect(tooSlow(pace, 6 * MINUTE)).to.equal(false);
    noteBytes(pace, Buffer.from('OP\r\n'), 6 * MINUTE);
    expect(tooSlow(pace, 12 * MINUTE)).to.equal(false);
  });

  it('allows half an hour from one mail to the next', () => {
    const pace = sending();
    endData(pace, 10 * MINUTE);
    expect(tooSlow(pace, 40 * MINUTE)).to.equal(false);
    expect(tooSlow(pace, 40 * MINUTE + 1)).to.equal(true);
  });
});
