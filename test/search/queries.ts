/** Generated queries about the mail of a corpus. */
import fc from 'fast-check';
import { operatorNames } from '../../core/search/parse-query.ts';
import { FILES, MAILBOXES, PEOPLE, TAGS, WORDS } from './corpus.ts';

/** What queries ask for, mostly of the mails that are searched. */
export interface Vocabulary {
  words: readonly string[];
  /** Words in a row. */
  phrases: readonly string[];
  people: readonly string[];
  files: readonly string[];
  messageIds: readonly string[];
  /** Names of header fields. */
  headers: readonly string[];
  /** The size of the largest mails. */
  kilobytes: number;
}

const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
const quoted = (value: string) => `"${value.replaceAll('"', '')}"`;

/** Texts of queries; some find nothing, and some are not valid. */
export function queriesAbout(about: Vocabulary): fc.Arbitrary<string> {
  const word = pick(about.words);
  /** The start of a word. */
  const start = fc
    .tuple(word, fc.integer({ min: 1, max: 8 }))
    .map(([whole, length]) => Array.from(whole).slice(0, length).join(''));
  const joined = fc
    .array(word, { minLength: 1, maxLength: 3 })
    .map((words) => quoted(words.join(' ')));
  const phrase = about.phrases.length > 0 ? pick(about.phrases).map(quoted) : joined;
  const words = fc.oneof(start, word, phrase);
  const person = fc.oneof(
    pick(about.people),
    pick(about.people).map((address) => address.replace(/^[^@]*/, '')),
    pick(['anna', 'Ång', 'bob', 'shop', 'nna', '"example shop"', 'client', 'tag']),
  );

  const values: Record<string, fc.Arbitrary<string>> = {
    from: person,
    to: person,
    cc: person,
    'reply-to': person,
    thread: fc.nat({ max: 30 }).map((length) => `thr_${length}`),
    list: pick(['blue.lists.example', 'BLUE.lists.example', 'lists.example']),
    date: fc.nat({ max: 21 }).map((hours) => `${hours}h`),
    subject: words,
    text: words,
    filename: fc.oneof(pick(about.files).map(quoted), pick(['rech', 'pdf', 'b', '2026', 'märz'])),
    tag: pick([...TAGS, 'BUILD42', 'build']),
    mailbox: pick([...MAILBOXES.map(({ name }) => name), 'none']),
    'message-id': pick(about.messageIds),
    id: fc.constant('msg_none'),
    label: pick(['run:gh:1', 'run:gh:2', 'team:blue', 'team:red']),
    header: fc
      .tuple(pick(about.headers), words)
      .map(([name, value]) => quoted(`${name}: ${value}`)),
    after: fc.nat({ max: 21 }).map((hours) => `${hours}h`),
    before: fc.nat({ max: 1200 }).map((minutes) => `${minutes}m`),
    larger: fc.nat({ max: about.kilobytes }).map((kilobytes) => `${kilobytes}k`),
    smaller: fc.nat({ max: 3 }).map((megabytes) => `${megabytes}m`),
    has: pick(['attachment', 'html']),
    is: pick(['claimed', 'caught']),
  };

  const operator = fc.oneof(
    ...operatorNames.map((name) =>
      (values[name] ?? fc.constant('')).map((value) => `${name}:${value}`),
    ),
  );
  const term = fc
    .tuple(
      fc.oneof({ weight: 3, arbitrary: words }, { weight: 2, arbitrary: operator }),
      fc.nat({ max: 5 }),
    )
    .map(([text, n]) => (n === 0 ? `-${text}` : text));
  return fc.array(term, { minLength: 1, maxLength: 4 }).map((terms) => terms.join(' '));
}

/** Queries about generated mail. */
export const queries = queriesAbout({
  words: WORDS,
  phrases: [],
  people: PEOPLE,
  files: FILES,
  messageIds: Array.from({ length: 61 }, (_, n) => `id-${n}@x.example`),
  headers: ['X-Team'],
  kilobytes: 3000,
});
