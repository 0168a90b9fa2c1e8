import { expect } from 'chai';
import { beginData, beginPace, endData, isTooSlow, noteBytes } from '../../haraka-plugin/pace.js';

const MINUTE = 60_000;
const LIMITS = { minDataRate: 500, stallMs: MINUTE };

describe('the pace of a client', () => {
  const tooSlow = (pace: ReturnType<typeof beginPace>, now: number, limits = LIMITS) =>
    isTooSlow(pace, limits, now);
  const sending = () => {
    const pace = beginPace(0);
    beginData(pace, 0);
    return pace;
  };

  it('is measured over a whole minute of DATA', () => {
    const pace = sending();
    expect(tooSlow(pace, MINUTE - 1)).to.equal(false);
    expect(tooSlow(pace, MINUTE)).to.equal(true);
  });

  it('must be 500 bytes a second in every minute, however fast the client was before', () => {
    const pace = sending();
    noteBytes(pace, Buffer.alloc(20_000_000), 1);
    expect(tooSlow(pace, MINUTE)).to.equal(false);
    noteBytes(pace, Buffer.alloc(30_000), MINUTE);
    expect(tooSlow(pace, 2 * MINUTE)).to.equal(false);
    noteBytes(pace, Buffer.alloc(29_999), 2 * MINUTE);
    expect(tooSlow(pace, 3 * MINUTE)).to.equal(true);
  });

  it('may be any where no rate is asked for, for half an hour', () => {
    const none = { ...LIMITS, minDataRate: 0 };
    const pace = sending();
    expect(tooSlow(pace, 30 * MINUTE, none)).to.equal(false);
    expect(tooSlow(pace, 30 * MINUTE + 1, none)).to.equal(true);
  });

  it('allows a command line one minute from its first byte to its end', () => {
    const pace = beginPace(0);
    noteBytes(pace, Buffer.from('NO'), 10);
    noteBytes(pace, Buffer.from('OP'), 20);
    expect(tooSlow(pace, MINUTE + 10)).to.equal(false);
    expect(tooSlow(pace, MINUTE + 11)).to.equal(true);
    noteBytes(pace, Buffer.from('\r\nNO'), MINUTE);
    expect(tooSlow(pace, 2 * MINUTE)).to.equal(false);
    noteBytes(pace, Buffer.from('OP\r\n'), 2 * MINUTE);
    expect(tooSlow(pace, 4 * MINUTE)).to.equal(false);
  });

  it('allows half an hour from one mail to the next', () => {
    const pace = sending();
    endData(pace, 10 * MINUTE);
    expect(tooSlow(pace, 40 * MINUTE)).to.equal(false);
    expect(tooSlow(pace, 40 * MINUTE + 1)).to.equal(true);
  });
});
