/**
 * The search index on PostgreSQL: a tsvector with a GIN index. One statement adds mails and ends
 * that they are pending, outside a serializable transaction, so that it conflicts with no intake.
 */
import type {
  IndexedWord,
  Proposal,
  SearchEntry,
  SearchIndex,
  IndexQuery,
} from '../search-index.ts';

type RunSql = <Row>(text: string, values: unknown[]) => Promise<Row[]>;

const ADD = `
  with taken as (delete from search_pending where id = any($1::text[]) returning id)
  insert into search_entries (id, received_at, words)
  select added.id, added.received_at, array_to_tsvector(string_to_array(added.words, ' '))
  from unnest($1::text[], $2::timestamptz[], $3::text[]) as added (id, received_at, words)
  join taken on taken.id = added.id
  on conflict do nothing`;

/**
 * The planner expects each prefix in 1 of 100 mails and would read all mails by time for a rare
 * word: 2.1 s with 1,000,000 mails. These two statements leave it no choice. The first one finds a
 * page of a common word among the newest mails, without reading each mail that has it. Its inner
 * query has one bound: for two, the planner expects few mails until the table is analyzed, and
 * would sort all of them.
 */
const PROPOSE_AMONG_NEWEST = `
  select id as "mailId", received_at as "receivedAt"
  from (
    select id, received_at, words from search_entries
    where received_at < $3
    order by received_at desc limit $5
  ) as newest
  where words @@ $1::tsquery and received_at >= $2
  order by received_at desc limit $4`;
const PROPOSE_BY_WORD = `
  with found as materialized (
    select id, received_at from search_entries
    where words @@ $1::tsquery and received_at >= $2 and received_at < $3
  )
  select id as "mailId", received_at as "receivedAt" from found
  order by received_at desc limit $4`;
/** Of the newest mails, for each one that is wanted. */
const READ_FOR_ONE = 40;

/** Each search reads the list of words that were not merged into the index, up to 4 MB. */
const MERGE_PENDING = `select gin_clean_pending_list('search_entries_by_word')`;

export function openPostgresSearch(runSql: RunSql): SearchIndex {
  return {
    async add(entries: readonly SearchEntry[]) {
      if (entries.length === 0) return;
      await runSql(ADD, [
        entries.map(({ mailId }) => mailId),
        entries.map(({ receivedAt }) => receivedAt.toISOString()),
        entries.map(({ words }) => words.join(' ')),
      ]);
    },
    complete: async () => null, // a GIN index reads all mails with a word
    async tidy() {
      await runSql(MERGE_PENDING, []);
    },
    async propose(wanted) {
      const { from, until, limit } = wanted;
      const values = [expression(wanted), time(from), time(until), limit];
      const newest = await runSql<Proposal>(PROPOSE_AMONG_NEWEST, [
        ...values,
        limit * READ_FOR_ONE,
      ]);
      return newest.length === limit ? newest : runSql<Proposal>(PROPOSE_BY_WORD, values);
    },
  };
}

function expression({ scopes, words, exempt }: IndexQuery): string {
  const all = words.map((some) => `(${some.map(lexeme).join(' | ')})`);
  const within = scopes.map(quote).join(' | ');
  return `(${within}) & ((${all.join(' & ')}) | ${quote(exempt)})`;
}

const lexeme = ({ word, isPrefix }: IndexedWord) => quote(word) + (isPrefix ? ':*' : '');
const quote = (word: string) => `'${word.replaceAll('\\', '').replaceAll("'", '')}'`;

/** Times after the range of PostgreSQL are its end. */
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');
const time = (date: Date) => new Date(Math.min(date.getTime(), LATEST)).toISOString();
