import { expect } from 'chai';
import { type FairQueue, openFairQueue } from '../../../core/limits/fair-queue.ts';

describe('fair queue', () => {
  let queue: FairQueue<string>;
  beforeEach(() => {
    queue = openFairQueue();
  });
  const add = (owner: string, item: string, size = 1) => {
    queue.add({ owner, item, size });
  };
  const start = (isEligible: (item: string) => boolean = () => true) => {
    const next = queue.next(isEligible);
    if (next) queue.start(next);
    return next?.item;
  };

  it('starts an item of the owner with the fewest running items', () => {
    for (const item of ['a1', 'a2', 'a3']) add('a', item);
    add('b', 'b1');
    expect([start(), start(), start(), start(), start()]).to.deep.equal([
      'a1',
      'b1',
      'a2',
      'a3',
      undefined,
    ]);
  });

  it('gives the quick items of one owner as much time as a slow item of another', () => {
    for (let n = 1; n <= 9; n += 1) add('slow', `slow${n}`);
    const order: (string | undefined)[] = [start()];
    for (let n = 1; n <= 9; n += 1) add('quick', `quick${n}`);
    queue.end('slow', 1000);
    for (let n = 1; n <= 9; n += 1) {
      const item = start();
      order.push(item);
      queue.end(item?.startsWith('slow') ? 'slow' : 'quick', item?.startsWith('slow') ? 1000 : 300);
    }
    expect(order.map((item) => item?.slice(0, -1))).to.deep.equal([
      'slow',
      ...Array<string>(4).fill('quick'),
      'slow',
      ...Array<string>(3).fill('quick'),
      'slow',
    ]);
  });

  it('gives an owner no credit for absence', () => {
    add('a', 'a1');
    add('a', 'a2');
    add('a', 'a3');
    start();
    queue.end('a', 1000);
    add('b', 'b1');
    add('b', 'b2');
    start();
    queue.end('a', 1000);
    expect(start()).to.equal('b1');
    queue.end('b', 1500);
    expect(start()).to.equal('a3');
  });

  it('starts the smallest item of an owner first, and every fourth time the oldest', () => {
    add('a', 'large', 25);
    for (let n = 1; n <= 5; n += 1) add('a', `small${n}`, 1);
    const order = Array.from({ length: 6 }, () => start());
    expect(order).to.deep.equal(['small1', 'small2', 'small3', 'large', 'small4', 'small5']);
  });

  it('skips items that are not eligible', () => {
    add('a', 'a1');
    add('a', 'a2');
    expect(start((item) => item !== 'a1')).to.equal('a2');
    expect(start((item) => item !== 'a1')).to.equal(undefined);
    expect(start()).to.equal('a1');
  });
});
