/**
 * The search index on SQLite: FTS5 without content. The number of a row is the time of arrival and
 * a counter, so that a range of numbers is a range of time, which FTS5 reads in order.
 */
import type Database from 'better-sqlite3';
import type { IndexedWord, Proposal, SearchEntry, Wanted } from '../search-index.js';

/** Mails of one millisecond that the index can take. */
const PER_MS = 2048;
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

export interface SqliteSearch {
  /** Runs within a transaction. */
  add: (entries: readonly SearchEntry[]) => void;
  propose: (wanted: Wanted) => Proposal[];
}

export function openSqliteSearch(connection: Database.Database): SqliteSearch {
  const take = connection.prepare<[string]>('delete from search_pending where id = ?');
  const skip = connection.prepare<[string]>(
    'insert into search_pending (id, is_skipped) values (?, 1)',
  );
  const last = connection.prepare<[number, number], { number: number | null }>(
    'select max(number) as number from search_entries where number between ? and ?',
  );
  const insertEntry = connection.prepare<[string, number, number]>(
    'insert into search_entries (id, received_at, number) values (?, ?, ?)',
  );
  const insertWords = connection.prepare<[number, string]>(
    'insert into search_words (rowid, words) values (?, ?)',
  );
  // Numbers are bound as floating point, which FTS5 does not use as bounds.
  const select = connection.prepare<
    [string, number, number, number],
    { mailId: string; receivedAt: number }
  >(
    `select e.id as mailId, e.received_at as receivedAt
     from search_words w cross join search_entries e on e.number = w.rowid
     where w.search_words match ?
       and w.rowid >= cast(? as integer) and w.rowid < cast(? as integer)
     order by w.rowid desc limit ?`,
  );

  const nextNumber = (time: number): number | null => {
    const first = time * PER_MS;
    const number = (last.get(first, first + PER_MS - 1)?.number ?? first - 1) + 1;
    return first >= 0 && number < first + PER_MS && number <= MAX_NUMBER ? number : null;
  };

  return {
    add(entries) {
      for (const { mailId, receivedAt, words } of entries) {
        if (take.run(mailId).changes === 0) continue;
        const number = nextNumber(receivedAt.getTime());
        if (number === null) {
          skip.run(mailId);
          continue;
        }
        insertEntry.run(mailId, receivedAt.getTime(), number);
        insertWords.run(number, words.join(' '));
      }
    },
    propose(wanted) {
      const [from, until] = [wanted.from, wanted.until].map((time) =>
        Math.min(time.getTime() * PER_MS, MAX_NUMBER),
      );
      const found = select.all(expression(wanted), from ?? 0, until ?? 0, wanted.limit);
      return found.map(({ mailId, receivedAt }) => ({ mailId, receivedAt: new Date(receivedAt) }));
    },
  };
}

function expression({ scope, words, exempt }: Wanted): string {
  const all = words.map(({ word, isPrefix }: IndexedWord) => quote(word) + (isPrefix ? ' *' : ''));
  return `${quote(scope)} AND ((${all.join(' AND ')}) OR ${quote(exempt)})`;
}

const quote = (word: string) => `"${word.replaceAll('"', '')}"`;
