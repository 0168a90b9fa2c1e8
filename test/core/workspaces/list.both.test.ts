import { expect } from 'chai';
import { listWorkspaces } from '../../../core/workspaces/workspaces.ts';
import { insertIgnoring } from '../../../db/store.ts';
import { service } from '../../support/service.ts';

const WORKSPACES = 2000;

describe('the list of workspaces', () => {
  const test = service();

  it('reads many in pages, between which other work runs, and has each once, by domain', async () => {
    const { context } = test;
    const rows = Array.from({ length: WORKSPACES }, (_, n) => {
      const fields = { name: 'x', plan: 'pro', createdAt: new Date(context.now()) } as const;
      return { id: `wsp_${n}`, domain: `w${String(n).padStart(5, '0')}.test`, ...fields };
    });
    await context.store.transaction((tx) => insertIgnoring(tx.t.workspaces, rows));
    const { store, now } = context;
    const pages: number[] = [];
    const query: typeof store.query = async (...asked) => {
      const found = await store.query(...asked);
      if (Array.isArray(found)) pages.push(found.length);
      return found;
    };
    const listed = await listWorkspaces({ now, store: { ...store, query } });
    const domains = ['one.test', ...rows.map(({ domain }) => domain)];
    expect(listed.map(({ domain }) => domain)).to.deep.equal(domains);
    expect(listed[0]).to.include({ mailboxes: 0, tokens: 1 });
    expect(Math.max(...pages)).to.be.at.most(500);
    expect(pages.length).to.be.at.least(WORKSPACES / 500);
  });
});
