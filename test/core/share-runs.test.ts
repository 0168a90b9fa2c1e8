import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { loadOnce, shareLoads, shareRuns } from '../../core/share-runs.ts';

describe('shareRuns', () => {
  it('shares the next run, which begins after the one in progress', async () => {
    const ends: ((fails?: boolean) => void)[] = [];
    const run = shareRuns(
      () =>
        new Promise<number>((resolve, reject) => {
          const number = ends.push((fails = false) => {
            if (fails) reject(new Error(`run ${number}`));
            else resolve(number);
          });
        }),
    );
    const first = Promise.all([run(), run()]);
    await nextTurn();
    const second = Promise.allSettled([run(), run()]);
    expect(ends, 'one at a time').to.have.length(1);
    ends[0]!();
    expect(await first).to.deep.equal([1, 1]);
    await nextTurn();
    const third = run();
    ends[1]!(true);
    expect((await second).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    await nextTurn();
    ends[2]!();
    expect(await third, 'after a failure').to.equal(3);
  });

  it('shares a run that gathers calls', async () => {
    let runs = 0;
    const run = shareRuns(() => Promise.resolve((runs += 1)), nextTurn);
    const first = run();
    await Promise.resolve();
    expect(await Promise.all([first, run()])).to.deep.equal([1, 1]);
    expect(await run()).to.equal(2);
  });
});

describe('shareLoads', () => {
  it('loads each item once at a time, and again after that', async () => {
    const loads: string[][] = [];
    const load = shareLoads((items: { id: string }[]) => {
      const ids = items.map(({ id }) => id);
      loads.push(ids);
      return Promise.resolve(
        new Map(ids.filter((id) => id !== 'gone').map((id) => [id, `${id}!`])),
      );
    });
    const a = { id: 'a' };
    const both = await Promise.all([load([a, { id: 'gone' }]), load([a, { id: 'b' }])]);
    expect(both.map((found) => found.get('a'))).to.deep.equal(['a!', 'a!']);
    expect(both[1].get('b')).to.equal('b!');
    expect(both[0].has('gone')).to.equal(false);
    await load([a]);
    expect(loads).to.deep.equal([['a', 'gone'], ['b'], ['a']]);
  });
});

describe('loadOnce', () => {
  it('keeps what was loaded, and loads again after a failure', async () => {
    let loads = 0;
    const { get, current } = loadOnce(() => {
      loads += 1;
      return loads === 1 ? Promise.reject(new Error('away')) : Promise.resolve(loads);
    });
    expect(current()).to.equal(null);
    const failed = await Promise.allSettled([get(), get()]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(current()).to.equal(null);
    expect(await Promise.all([get(), get()])).to.deep.equal([2, 2]);
    expect(await current()).to.equal(2);
    expect(loads).to.equal(2);
  });
});
