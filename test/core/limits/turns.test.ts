import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { openTurns } from '../../../core/limits/turns.ts';
import { openWeightedSemaphore } from '../../../core/limits/weighted-semaphore.ts';

const never = new AbortController().signal;

describe('turns of workspaces', () => {
  it('never begin work whose signal is aborted, before the call or while it waits', async () => {
    const turns = openTurns(1);
    const begun: string[] = [];
    let end = () => {};
    const held = turns('one', () => new Promise<void>((resolve) => (end = resolve)), never);
    await nextTurn();
    const waiting = new AbortController();
    const ask = (name: string, signal: AbortSignal) =>
      turns('one', () => Promise.resolve(begun.push(name)), signal).catch(String);
    const left = ask('left', waiting.signal);
    const gone = ask('gone', AbortSignal.abort('gone'));
    waiting.abort('left');
    const other = ask('other', never);
    end();
    await held;
    expect(await Promise.all([left, gone, other])).to.deep.equal(['left', 'gone', 1]);
    expect(await ask('gone', AbortSignal.abort('gone'))).to.equal('gone');
    expect(begun).to.deep.equal(['other']);
  });

  it('end work that has begun when its signal is aborted later', async () => {
    const semaphore = openWeightedSemaphore(1);
    const controller = new AbortController();
    const { signal } = controller;
    const begun = semaphore.runExclusive(1, () => nextTurn('done'), { signal });
    controller.abort();
    expect(await begun).to.equal('done');
  });
});
