import { expect } from 'chai';
import { Bulkhead } from '../../../../core/delivery/limits/bulkhead.ts';

const PARTS = { all: 1, workspace: 1 / 2, mailbox: 1 / 4 };

describe('a bulkhead', () => {
  const acquire = (bulkhead: Bulkhead, workspaceId: string, mailboxId: string, parts = PARTS) =>
    bulkhead.acquire({ webhookId: 'whk', workspaceId, mailboxId }, parts);

  it('limits a mailbox and a workspace to a share of its places', () => {
    const bulkhead = new Bulkhead(8);
    const taken = ['m1', 'm1', 'm1', 'm2', 'm2', 'm3'].map((mailbox) =>
      acquire(bulkhead, 'a', mailbox),
    );
    expect(taken).to.deep.equal([true, true, false, true, true, false]);
    for (const mailbox of ['m4', 'm4', 'm5', 'm5']) {
      expect(acquire(bulkhead, 'b', mailbox)).to.equal(true);
    }
    expect(bulkhead.taken).to.equal(8);
    expect(acquire(bulkhead, 'c', 'm6')).to.equal(false);
  });

  it('reuses a released place', () => {
    const bulkhead = new Bulkhead(1);
    expect(acquire(bulkhead, 'a', 'm1'), 'allows at least one').to.equal(true);
    expect(acquire(bulkhead, 'b', 'm2')).to.equal(false);
    bulkhead.release({ webhookId: 'whk', workspaceId: 'a', mailboxId: 'm1' });
    expect(bulkhead.taken).to.equal(0);
    expect(acquire(bulkhead, 'b', 'm2')).to.equal(true);
  });

  it('keeps places for callers with a larger share', () => {
    const bulkhead = new Bulkhead(8);
    const half = { all: 1 / 2, workspace: 1, mailbox: 1 };
    const taken = [1, 2, 3, 4, 5].map((n) => acquire(bulkhead, `w${n}`, `m${n}`, half));
    expect(taken).to.deep.equal([true, true, true, true, false]);
    expect(acquire(bulkhead, 'w6', 'm6')).to.equal(true);
  });
});
