import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { openPauses } from '../../core/pauses.ts';

describe('pauses of long work', () => {
  it('let one of several works go on in a turn of the event loop', async () => {
    let turn = 0;
    let isOver = false;
    const count = async () => {
      for (; !isOver; turn += 1) await nextTurn();
    };
    const counting = count();
    const turns: number[] = [];
    const work = async () => {
      const pause = openPauses();
      for (const end = performance.now() + 6; performance.now() < end;);
      await pause();
      turns.push(turn);
    };
    await Promise.all([work(), work(), work()]);
    isOver = true;
    await counting;
    expect(new Set(turns).size).to.equal(3);
  });
});
