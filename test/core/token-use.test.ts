import { expect } from 'chai';
import type { Logger } from '../../core/log.js';
import { openTokenUse } from '../../core/token-use.js';
import type { Store } from '../../db/store.js';

describe('token use', () => {
  const NOW = Date.parse('2026-03-01T12:00:00.000Z');

  it('writes the tokens of a moment in one transaction, and none used less than a minute ago', async () => {
    let transactions = 0;
    const store = {
      transaction: async () => {
        transactions += 1;
      },
    } as unknown as Store;
    const use = openTokenUse(store, () => NOW, {} as Logger);
    use.note({ id: 'tok_fresh', lastUsedAt: new Date(NOW - 59_999) });
    await use.close();
    expect(transactions).to.equal(0);
    use.note({ id: 'tok_old', lastUsedAt: new Date(NOW - 60_000) });
    use.note({ id: 'tok_new', lastUsedAt: null });
    use.note({ id: 'tok_new', lastUsedAt: null });
    await use.close();
    expect(transactions).to.equal(1);
  });

  it('logs a use that cannot be written, and goes on', async () => {
    const warned: unknown[] = [];
    const log = { warn: (...line: unknown[]) => warned.push(line) } as unknown as Logger;
    const store = {
      transaction: () => Promise.reject(new Error('disk full')),
    } as unknown as Store;
    const use = openTokenUse(store, () => NOW, log);
    use.note({ id: 'tok_1', lastUsedAt: null });
    await use.close();
    expect(warned).to.deep.equal([['use of tokens not noted', { tokens: 1, fault: 'disk full' }]]);
  });
});
