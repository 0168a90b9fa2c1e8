import { expect } from 'chai';
import { openRequeuedMail } from '../../../core/ingest/requeued-mail.ts';

const PACE = { intervalMs: 5, graceMs: 30_000 };

describe('requeued mail', () => {
  it('returns later if more mail of its workspace is requeued', () => {
    const requeued = openRequeuedMail(PACE, () => 0);
    const add = (id: string, owner: string) => requeued.add({ id, owner });
    expect(add('a1', 'a')).to.equal(200);
    expect(add('a1', 'a'), 'once more').to.equal(200);
    expect(add('a2', 'a')).to.equal(205);
    expect(add('b1', 'b'), 'of another workspace').to.equal(200);
    expect(add('b2', 'b'), 'of two workspaces').to.equal(210);
    for (let n = 0; n < 3000; n += 1) add(`${n}`, 'a');
    // Of two workspaces: one job returns every 5 ms on average.
    expect(add('a3', 'a')).to.equal(210 + 3000 * 2 * 5);
    requeued.remove('a1');
    expect([requeued.find('a1'), requeued.find('a2')?.owner]).to.deep.equal([undefined, 'a']);
  });

  it('returns at an even rate after many jobs have returned together', () => {
    let now = 0;
    const requeued = openRequeuedMail(PACE, () => now);
    const ids = Array.from({ length: 1000 }, (_, n) => `${n}`);
    const addAll = () => ids.map((id) => requeued.add({ id, owner: 'a' }));
    addAll();
    now = 10_000;
    expect(addAll()).to.deep.equal(ids.map((_, n) => 200 + n * 5));
  });

  it('is removed if its job does not return', () => {
    let now = 0;
    const requeued = openRequeuedMail(PACE, () => now);
    requeued.add({ id: 'lost', owner: 'a' });
    now = 30_206;
    expect(requeued.add({ id: 'other', owner: 'b' })).to.equal(200);
    expect(requeued.find('lost')).to.equal(undefined);
  });
});
