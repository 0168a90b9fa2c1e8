import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { type LoopClock, startLoopClock } from '../../../../core/delivery/limits/loop-clock.js';
import { eventually } from '../../../support/mocha/eventually.js';

const BLOCKED_MS = 400;

describe('the clock of the event loop', () => {
  let clock: LoopClock;
  beforeEach(() => (clock = startLoopClock()));
  afterEach(() => {
    clock.stop();
  });

  it('runs while the loop does', async () => {
    const start = clock.now();
    await eventually('200 ms', () => clock.now() - start >= 200);
  });

  it('stands still while the loop is blocked for longer than a tick', async () => {
    const start = clock.now();
    const since = performance.now();
    while (performance.now() - since < BLOCKED_MS);
    expect(clock.now() - start).to.be.within(0, 100);
    await delay(0);
    const took = performance.now() - since;
    expect(clock.now() - start).to.be.at.most(took - BLOCKED_MS + 100);
  });
});
