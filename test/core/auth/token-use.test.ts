import { expect } from 'chai';
import type { Logger } from '../../../core/log.ts';
import { openTokenUse } from '../../../core/auth/token-use.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import type { Store } from '../../../db/store.ts';

describe('token use', () => {
  const NOW = Date.parse('2026-03-01T12:00:00.000Z');

  it('is written for several tokens in one transaction, at most once a minute per token', async () => {
    let transactions = 0;
    const store = {
      transaction: async () => {
        transactions += 1;
      },
    } as unknown as Store;
    const unused = openTokenUse(store, () => NOW, {} as Logger);
    unused.record({ id: 'tok_fresh', lastUsedAt: new Date(NOW - 59_999) });
    await unused.close();
    expect(transactions).to.equal(0);
    const use = openTokenUse(store, () => NOW, {} as Logger);
    use.record({ id: 'tok_old', lastUsedAt: new Date(NOW - 60_000) });
    use.record({ id: 'tok_new', lastUsedAt: null });
    use.record({ id: 'tok_new', lastUsedAt: null });
    await use.close();
    expect(transactions).to.equal(1);
  });

  it('is flushed on close, and dropped after that', async () => {
    let transactions = 0;
    let commit: () => void = () => undefined;
    const store = {
      transaction: () => {
        transactions += 1;
        return new Promise<void>((resolve) => (commit = resolve));
      },
    } as unknown as Store;
    const use = openTokenUse(store, () => NOW, {} as Logger);
    use.record({ id: 'tok_1', lastUsedAt: null });
    await eventually('the write to begin', () => transactions === 1);
    let isClosed = false;
    const closing = use.close().then(() => (isClosed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).to.equal(false);
    commit();
    await closing;
    use.record({ id: 'tok_2', lastUsedAt: null });
    await use.close();
    expect(transactions).to.equal(1);
  });

  it('is logged and dropped if it cannot be written', async () => {
    const warned: unknown[] = [];
    const log = { warn: (...line: unknown[]) => warned.push(line) } as unknown as Logger;
    const store = {
      transaction: () => Promise.reject(new Error('disk full')),
    } as unknown as Store;
    const use = openTokenUse(store, () => NOW, log);
    use.record({ id: 'tok_1', lastUsedAt: null });
    await use.close();
    expect(warned).to.deep.equal([
      ['token last-used update failed', { tokens: 1, fault: 'disk full' }],
    ]);
  });
});
