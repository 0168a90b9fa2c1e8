/**
 * `test/long mime-differences [FOLDER]`: reads real mail, and the odd mails of
 * `test/core/mime/cases`, with Mayfly, with mailparser alone, postal-mime and the package `email`
 * of Python. Prints where Mayfly differs from two of them, by field and reason. Without a folder it
 * installs the public corpus of SpamAssassin. Exits with 1 for a difference without a reason.
 */
import { installCorpus } from '../corpus/install-corpus.ts';
import { type CorpusMail, readMails } from '../corpus/mails.ts';
import { mailCases } from '../support/mail/mail-case.ts';
import { ACCEPTED, type Difference } from './accepted.ts';
import {
  readWithMailparser,
  readWithMayfly,
  readWithPostalMime,
  readWithPython,
} from './readers.ts';
import type { Field, Reading } from './reading.ts';

/** Characters of a value that are printed, and how many of them precede the difference. */
const SHOWN = 100;
const BEFORE = 20;

const given = process.argv[2];
const corpus = given === undefined ? await installCorpus() : null;
const mails: CorpusMail[] = [
  ...(await readMails(corpus?.folder ?? given ?? '', Infinity)),
  ...mailCases().map(({ id, raw }) => ({ name: `cases/${id}`, bytes: raw })),
];
await corpus?.remove();
const python = readWithPython(mails.map(({ bytes }) => bytes));
const counts = new Map<string, number>();
let unexplained = 0;
for (const [n, { name, bytes }] of mails.entries()) {
  const reading = await readWithMayfly(bytes);
  const others = [
    await readWithMailparser(bytes),
    await readWithPostalMime(bytes),
    python[n] ?? reading,
  ];
  for (const difference of differencesOf(name, bytes, reading, others)) {
    const { field, mayfly } = difference;
    const reason = ACCEPTED.find((each) => each.fields.includes(field) && each.applies(difference));
    const kind = `${field}: ${reason?.reason ?? 'not explained'}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (reason) continue;
    unexplained += 1;
    console.log([`${name}: ${field}`, ...excerpts([mayfly, ...difference.others])].join('\n'));
  }
}
console.log(`${mails.length} mails`);
for (const [kind, count] of [...counts].sort()) console.log(`${String(count).padStart(5)} ${kind}`);
process.exitCode = unexplained > 0 ? 1 : 0;

function differencesOf(
  mail: string,
  bytes: Buffer,
  reading: Reading,
  all: readonly Reading[],
): Difference[] {
  const raw = bytes.toString('latin1');
  return (Object.keys(reading) as Field[]).flatMap((field) => {
    const mayfly = reading[field];
    const others = all.map((other) => other[field]).filter((value) => value !== mayfly);
    return others.length < 2 ? [] : [{ field, mail, raw, mayfly, others, reading }];
  });
}

/** The values from where they begin to differ. */
function excerpts(values: string[]): string[] {
  const [first = '', ...others] = values;
  let at = 0;
  while (at < first.length && others.every((other) => other[at] === first[at])) at += 1;
  const start = Math.max(0, at - BEFORE);
  return values.map((value) => `  ${value.slice(start, start + SHOWN)}`);
}
