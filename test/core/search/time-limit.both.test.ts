import { expect } from 'chai';
import { createMailboxes } from '../../../core/mailboxes/create.ts';
import { decodeCursor } from '../../../core/messages/cursor.ts';
import { parseQuery } from '../../../core/search/parse-query.ts';
import { searchMailbox, searchMessages } from '../../../core/search/search.ts';
import { searchesOf } from '../../support/context/searches.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

/** More than a search tests before it looks at the time. */
const STORED = 250;
const FOUND_EACH = 7;

type MailboxSearchPage = Awaited<ReturnType<typeof searchMailbox>>;

describe('a search whose time is over', () => {
  const test = service();

  for (const where of ['all mailboxes', 'a mailbox'] as const) {
    it(`in ${where} is not complete, and its cursor skips nothing`, async () => {
      const { context, caller } = test;
      const [box] = await createMailboxes(context, caller, [{ name: 'box' }]);
      const start = context.now() - STORED;
      const expected: string[] = [];
      for (let n = 0; n < STORED; n += 1) {
        const word = n % FOUND_EACH === 0 ? 'word' : 'other';
        const id = await storeDirectly(context, box!.row.id, start + n, word, word);
        if (word === 'word') expected.unshift(id);
      }
      for (const q of ['text:word', 'subject:word', '-text:other']) {
        const query = parseQuery(q, { now: context.now(), domain: 'one.test' });
        const ids: string[] = [];
        const complete: boolean[] = [];
        let after: string | null = null;
        do {
          const place = after === null ? {} : { after: decodeCursor(after) };
          const request = { query, limit: 40, summary: true, maxDurationMs: -1, ...place };
          const page: Pick<MailboxSearchPage, 'rows' | 'nextCursor' | 'complete'> =
            where === 'a mailbox'
              ? await searchMailbox(context, searchesOf(context), caller, box!.row, request)
              : await searchMessages(context, searchesOf(context), caller, request);
          ids.push(...page.rows.map(({ id }) => id));
          complete.push(page.complete);
          after = page.nextCursor;
        } while (after !== null && complete.length < STORED);
        expect(ids, q).to.deep.equal(expected);
        expect(complete.slice(0, 2), q).to.deep.equal([false, false]);
        expect(complete.at(-1), q).to.equal(true);
      }
    });
  }
});
