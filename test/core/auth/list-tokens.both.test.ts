import { expect } from 'chai';
import { listTokens } from '../../../core/auth/tokens.ts';
import { newId } from '../../../core/ids.ts';
import { insertIgnoring } from '../../../db/store.ts';
import { service } from '../../support/service.ts';

const TOKENS = 10_000;
const STORED_AT_ONCE = 1000;

describe('the list of tokens', () => {
  const test = service();

  it('lets other work run while many are read, and has each of them once, newest first', async () => {
    const { context, caller } = test;
    const { id: workspaceId } = caller.workspace;
    const start = context.now() + 1;
    const expected = [caller.token.id];
    for (let from = 0; from < TOKENS; from += STORED_AT_ONCE) {
      const rows = Array.from({ length: STORED_AT_ONCE }, (_, n) => {
        const at = start + from + n;
        const id = newId('token', at);
        const fields = { name: 'x', prefix: 'x', hash: id, keyId: 'k', role: 'reader' } as const;
        return { id, workspaceId, ...fields, createdAt: new Date(at) };
      });
      await context.store.transaction((tx) => insertIgnoring(tx.t.tokens, rows));
      expected.unshift(...rows.map(({ id }) => id).reverse());
    }
    const { body } = await test.api.get('/api/tokens').expect(200);
    expect((body as { id: string }[]).map(({ id }) => id)).to.deep.equal(expected);

    let runs = 0;
    let isListed = false;
    const turn = () => {
      runs += 1;
      if (!isListed) setImmediate(turn);
    };
    setImmediate(turn);
    let listed = 0;
    for await (const page of listTokens(context, caller)) listed += page.length;
    isListed = true;
    expect(listed).to.equal(TOKENS + 1);
    expect(runs).to.be.greaterThan(3);
  });
});
