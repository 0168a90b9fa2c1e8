import { expect } from 'chai';
import { listWorkspaces } from '../../../core/workspaces/workspaces.ts';
import { insertIgnoring } from '../../../db/store.ts';
import { service } from '../../support/service.ts';

const WORKSPACES = 2000;

describe('the list of workspaces', () => {
  const test = service();

  it('lets other work run while many are read, and has each of them once, by domain', async () => {
    const { context } = test;
    const rows = Array.from({ length: WORKSPACES }, (_, n) => {
      const fields = { name: 'x', plan: 'pro', createdAt: new Date(context.now()) } as const;
      return { id: `wsp_${n}`, domain: `w${String(n).padStart(5, '0')}.test`, ...fields };
    });
    await context.store.transaction((tx) => insertIgnoring(tx.t.workspaces, rows));
    let runs = 0;
    let isListed = false;
    const turn = () => {
      runs += 1;
      if (!isListed) setImmediate(turn);
    };
    setImmediate(turn);
    const listed = await listWorkspaces(context);
    isListed = true;
    const domains = ['one.test', ...rows.map(({ domain }) => domain)];
    expect(listed.map(({ domain }) => domain)).to.deep.equal(domains);
    expect(listed[0]).to.include({ mailboxes: 0, tokens: 1 });
    expect(runs).to.be.greaterThan(1);
  });
});
