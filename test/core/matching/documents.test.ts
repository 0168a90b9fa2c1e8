import { expect } from 'chai';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { compileCriteria } from '../../../core/matching/criteria.ts';
import { openDocuments } from '../../../core/matching/documents.ts';
import type { Store } from '../../../db/store.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

const MIB = 1024 * 1024;

describe('documents', () => {
  const test = service({ mailboxes: ['box'] });
  /** Bytes of the bodies that are read at the same time, and how often. */
  let readings: number;
  let atOnce: number;
  let most: number;

  const open = async (bytes: number, count: number) => {
    const { context, caller } = test;
    const { id } = await requireMailbox(context, caller, 'box');
    const rows: { id: string; bodyBytes: number }[] = [];
    for (let n = 0; n < count; n += 1) {
      const text = `needle ${'x'.repeat(bytes)}`;
      const message = await storeDirectly(context, id, context.now() + n, text);
      rows.push({ id: message, bodyBytes: text.length });
    }
    [readings, atOnce, most] = [0, 0, 0];
    const execute: Store['execute'] = async (statement, parameters) => {
      if (!statement.name.startsWith('messages-by-id')) {
        return context.store.execute(statement, parameters);
      }
      readings += 1;
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      const found = await context.store.execute(statement, parameters);
      atOnce -= 1;
      return found;
    };
    const slow = { ...context, store: { ...context.store, execute } };
    const documents = openDocuments(slow, { of: () => Promise.reject(new Error('not needed')) });
    const found = async () => {
      let matching = 0;
      const criteria = compileCriteria({ text: 'needle' });
      for await (const batch of documents.load(rows, criteria)) {
        for (const { document } of batch) {
          if (document && criteria[0]!.matches(document, { isClaimed: false })) matching += 1;
        }
      }
      return matching;
    };
    return () => Promise.all(Array.from({ length: 10 }, found));
  };

  it('are read once for all that ask at the same time, and kept', async () => {
    const ask = await open(100, 20);
    for (let n = 0; n < 2; n += 1) expect(new Set(await ask())).to.deep.equal(new Set([20]));
    expect(readings).to.equal(1);
  });

  it('are read few at a time, and not kept, if their bodies are long', async () => {
    const ask = await open(MIB, 2);
    expect(new Set(await ask())).to.deep.equal(new Set([2]));
    expect(most).to.be.within(1, 3);
    expect(readings).to.be.above(2);
  }).timeout(60_000);
});
