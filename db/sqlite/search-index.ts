/**
 * The search index on SQLite: FTS5 without content. The number of a row is the time of arrival and
 * a counter, so that a range of numbers is a range of time, which FTS5 reads in order.
 */
import type Database from 'better-sqlite3';
import type { IndexedWord, Proposal, SearchEntry, IndexQuery } from '../search-index.ts';

/** Mails of one millisecond that the index can take. */
const PER_MS = 2048;
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

export interface SqliteSearch {
  /** Runs within a transaction. */
  add: (entries: readonly SearchEntry[]) => void;
  complete: (word: IndexedWord) => string[] | null;
  propose: (wanted: IndexQuery) => Proposal[];
}

/**
 * For a prefix, FTS5 reads all mails with one of its completions: 35 ms if each second of 300,000
 * mails has one. For a complete word it reads only the mails that it returns (0.4 ms). A prefix can
 * therefore be replaced by its completions if it has at most this many.
 */
const MAX_COMPLETIONS = 16;
/** Sorts before the characters of words. */
const BEFORE_LETTERS = '!';
const AFTER_LETTERS = '\u{10ffff}';

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
  // Numbers are bound as floating point, which FTS5 does not use as bounds. With a bare limit,
  // SQLite plans the statement in each run (drizzle.ts).
  const select = connection.prepare<
    [string, number, number, number],
    { mailId: string; receivedAt: number }
  >(
    `select e.id as mailId, e.received_at as receivedAt
     from search_words w cross join search_entries e on e.number = w.rowid
     where w.search_words match ?
       and w.rowid >= cast(? as integer) and w.rowid < cast(? as integer)
     order by w.rowid desc limit cast(? as integer)`,
  );

  const nextNumber = (time: number): number | null => {
    const first = time * PER_MS;
    const number = (last.get(first, first + PER_MS - 1)?.number ?? first - 1) + 1;
    return first >= 0 && number < first + PER_MS && number <= MAX_NUMBER ? number : null;
  };

  let nextWord: Database.Statement<[string, string], { word: string }> | null = null;
  /** Null if there are too many. */
  const completionsOf = (prefix: string): string[] | null => {
    nextWord ??= openVocabulary(connection);
    const found: string[] = [];
    let from = prefix;
    while (found.length <= MAX_COMPLETIONS) {
      const next = nextWord.get(from, prefix + AFTER_LETTERS);
      if (!next) return found;
      found.push(next.word);
      from = next.word + BEFORE_LETTERS;
    }
    return null;
  };

  return {
    complete: ({ word, isPrefix }) => (isPrefix ? completionsOf(word) : [word]),
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

function expression({ scopes, words, exempt }: IndexQuery): string {
  const all = words.map((some) => `(${some.map(phrase).join(' OR ')})`);
  const within = scopes.map(quote).join(' OR ');
  return `(${within}) AND ((${all.join(' AND ')}) OR ${quote(exempt)})`;
}

/** Reads the first word of the index from one, inclusive, to another, exclusive. */
function openVocabulary(connection: Database.Database) {
  connection.exec(
    `create virtual table if not exists temp.search_vocabulary
     using fts5vocab(main, search_words, instance)`,
  );
  return connection.prepare<[string, string], { word: string }>(
    'select term as word from temp.search_vocabulary where term >= ? and term < ? limit 1',
  );
}

const phrase = ({ word, isPrefix }: IndexedWord) => quote(word) + (isPrefix ? ' *' : '');
const quote = (word: string) => `"${word.replaceAll('"', '')}"`;
