import { expect } from 'chai';
import type { Contents } from '../../../core/matching/contents.ts';
import { compileCriteria } from '../../../core/matching/criteria.ts';
import { testArrivals } from '../../../core/waits/test-arrivals.ts';
import { eventually } from '../../support/mocha/eventually.ts';

/** Tests that end when they are told to; a message matches by its id. */
function heldContents() {
  const batches: string[][] = [];
  const releases: (() => void)[] = [];
  const contents: Contents = {
    async *test(rows) {
      batches.push(rows.map(({ id }) => id));
      await new Promise<void>((resolve) => {
        releases.push(resolve);
      });
      for (const row of rows) {
        const failed = row.id === 'match' ? [] : compileCriteria({ subject: 'x' });
        yield { row, tested: { subject: '', failed } };
      }
    },
  };
  const release = async (batch: number) => {
    await eventually('the batch', () => releases.length > batch);
    releases[batch]!();
  };
  return { contents, batches, release };
}

describe('the tests of new messages', () => {
  let woken: number;
  const wake = () => {
    woken += 1;
  };
  beforeEach(() => {
    woken = 0;
  });

  it('are one reading at a time, and those that arrive meanwhile are together', async () => {
    const { contents, batches, release } = heldContents();
    const tests = testArrivals(contents, compileCriteria({ subject: 'x' }), wake);
    for (const id of ['a', 'b', 'match', 'b']) tests.add(id);
    await release(0);
    await release(1);
    await eventually('the match', () => woken === 1);
    expect(batches).to.deep.equal([['a'], ['b', 'match']]);
  });

  it('read one long message at a time', async () => {
    const { contents, batches, release } = heldContents();
    const tests = testArrivals(contents, compileCriteria({ text: 'x' }), wake);
    for (const id of ['a', 'b', 'match']) tests.add(id);
    for (const batch of [0, 1, 2]) await release(batch);
    await eventually('the match', () => woken === 1);
    expect(batches).to.deep.equal([['a'], ['b'], ['match']]);
  });

  it('leave a flood to the request, and are forgotten at its end', async () => {
    const { contents, batches, release } = heldContents();
    const tests = testArrivals(contents, compileCriteria({ subject: 'x' }), wake);
    for (let n = 0; n < 1002; n += 1) tests.add(`${n}`);
    expect(woken).to.equal(1);
    tests.add('match');
    tests.end();
    await release(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches).to.deep.equal([['0']]);
    expect(woken).to.equal(1);
  });
});
