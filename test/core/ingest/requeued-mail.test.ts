import { expect } from 'chai';
import { openRequeuedMail } from '../../../core/ingest/requeued-mail.js';

const PACE = { intervalMs: 5, graceMs: 30_000 };

describe('requeued mail', () => {
  it('returns later if more mail of its workspace is requeued', () => {
    const requeued = openRequeuedMail(PACE);
    const add = (id: string, owner: string) => requeued.add({ id, owner });
    expect(add('a1', 'a')).to.equal(205);
    expect(add('a1', 'a'), 'once more').to.equal(205);
    expect(add('a2', 'a')).to.equal(210);
    expect(add('b1', 'b'), 'of two workspaces').to.equal(210);
    for (let n = 0; n < 3000; n += 1) add(`${n}`, 'a');
    // 3,003 jobs of one of two workspaces: one job returns every 5 ms on average.
    expect(add('a3', 'a')).to.equal(200 + 3003 * 2 * 5);
    expect(add('b2', 'b')).to.equal(220);
    requeued.remove('a1');
    expect([requeued.find('a1'), requeued.find('a2')?.owner]).to.deep.equal([undefined, 'a']);
  });

  it('is removed if its job does not return', () => {
    let now = 0;
    const requeued = openRequeuedMail(PACE, () => now);
    requeued.add({ id: 'lost', owner: 'a' });
    now = 30_206;
    expect(requeued.add({ id: 'other', owner: 'b' })).to.equal(205);
    expect(requeued.find('lost')).to.equal(undefined);
  });
});
