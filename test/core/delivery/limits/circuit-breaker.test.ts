import { expect } from 'chai';
import { CircuitBreaker } from '../../../../core/delivery/limits/circuit-breaker.ts';

const QUICK = { failed: false, durationMs: 10 };
const FAILED = { failed: true, durationMs: 10 };
const SLOW = { failed: false, durationMs: 9000 };

describe('the circuit breaker of a receiver', () => {
  let breaker: CircuitBreaker;
  let time: number;
  beforeEach(() => {
    time = 1_000_000;
    breaker = new CircuitBreaker();
  });

  const called = (outcome: typeof QUICK, times = 1) => {
    for (let n = 0; n < times; n += 1) breaker.end(breaker.start(time), outcome, time);
  };

  it('is half-open until the first answer, and closed after it', () => {
    expect(breaker.state(time)).to.equal('half-open');
    expect(breaker.isUnproven).to.equal(true);
    breaker.end(breaker.start(time), null, time);
    expect(breaker.isUnproven, 'nothing was sent').to.equal(true);
    called(QUICK);
    expect(breaker.state(time)).to.equal('closed');
  });

  for (const [what, outcome, openMs] of [
    ['failures', FAILED, 0],
    ['slow answers', SLOW, 1000],
    ['slow failures', { failed: true, durationMs: 10_000 }, 1000],
  ] as const) {
    it(`opens after three consecutive ${what}, for ${openMs} ms`, () => {
      called(QUICK);
      called(outcome, 2);
      called(QUICK);
      called(outcome, 2);
      expect(breaker.state(time), 'two').to.equal('closed');
      called(outcome);
      expect(breaker.state(time), 'three').to.equal(openMs > 0 ? 'open' : 'half-open');
      expect(breaker.openMs(time)).to.equal(openMs);
      time += openMs;
      expect(breaker.state(time)).to.equal('half-open');
      expect(breaker.openMs(time)).to.equal(0);
    });
  }

  it('is open again after a failed trial, and closed after a successful one', () => {
    called({ failed: true, durationMs: 10_000 });
    expect(breaker.isUnproven).to.equal(false);
    expect(breaker.state(time)).to.equal('open');
    time += 1000;
    called(SLOW);
    expect(breaker.state(time)).to.equal('open');
    time += 1000;
    called(QUICK, 1);
    expect(breaker.state(time)).to.equal('closed');
  });

  it('is not closed while a call hangs', () => {
    called(QUICK);
    const call = breaker.start(time);
    time += 2001;
    expect(breaker.state(time)).to.equal('half-open');
    expect(breaker.callMs(time)).to.equal(2001);
    breaker.end(call, QUICK, time);
    expect(breaker.state(time)).to.equal('closed');
  });

  it('starts with the verdict of another one', () => {
    called(QUICK);
    expect(new CircuitBreaker(breaker).state(time)).to.equal('closed');
    called(FAILED, 3);
    const other = new CircuitBreaker(breaker);
    expect(other.state(time)).to.equal('half-open');
    expect(other.isUnproven).to.equal(false);
  });
});
