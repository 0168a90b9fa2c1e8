import { expect } from 'chai';
import { inTime } from './in-time.ts';

const LIMIT_MS = 20;

describe('the time of a call in a test', () => {
  it('is that of this thread, so a busy machine changes nothing', () => {
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    expect(inTime(() => Atomics.wait(nothing, 0, 0, 2 * LIMIT_MS), LIMIT_MS)).to.equal('timed-out');
  });

  it('is refused above its limit', () => {
    const before = process.threadCpuUsage();
    const spin = () => {
      while (process.threadCpuUsage(before).user < 2000 * LIMIT_MS) Math.sqrt(2);
    };
    expect(() => {
      inTime(spin, LIMIT_MS);
    }).to.throw(`of CPU instead of ${LIMIT_MS}`);
  });
});
