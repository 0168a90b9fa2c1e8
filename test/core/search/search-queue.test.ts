import { expect } from 'chai';
import { openSearchQueue } from '../../../core/search/search-queue.ts';
import { rejection } from '../../support/mocha/rejection.ts';

describe('queue of searches', () => {
  it('runs a limited number at once, and workspaces in turn', async () => {
    const queue = openSearchQueue(2);
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const search = (owner: string, name: string) =>
      queue(owner, async () => {
        started.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      });
    const results = [1, 2, 3, 4].map((n) => search('a', `a${n}`));
    results.push(search('b', 'b1'));
    expect(started).to.deep.equal(['a1', 'a2']);
    ends.get('a1')?.();
    expect(await results[0]).to.equal('a1');
    await new Promise(setImmediate);
    expect(started).to.deep.equal(['a1', 'a2', 'b1']);
    for (const name of ['a2', 'b1', 'a3', 'a4']) {
      while (!ends.has(name)) await new Promise(setImmediate);
      ends.get(name)?.();
    }
    expect(await Promise.all(results)).to.deep.equal(['a1', 'a2', 'a3', 'a4', 'b1']);
  });

  it('passes an error on, and runs the next one', async () => {
    const queue = openSearchQueue(1);
    const failed = queue('a', () => Promise.reject(new Error('no')));
    const next = queue('a', async () => 'yes');
    expect(await rejection(failed)).to.have.property('message', 'no');
    expect(await next).to.equal('yes');
  });
});
