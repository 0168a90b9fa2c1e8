/**
 * `test/long search [--corpus] [--seed N] [--mails N] [--queries N]`: generated queries on
 * both databases, with and without the index, against a plain scan of the mails: generated ones, or
 * with `--corpus` those of SpamAssassin.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { indexMails } from '../../core/search/index-mails.ts';
import { SOURCES, folderOf } from '../extraction/sources.ts';
import { positive, readCommandLine } from '../support/command-line.ts';
import { openTestContext } from '../support/context/context.ts';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { compare, prepare, store } from './compare.ts';
import { makeCorpus } from './corpus.ts';
import { queries } from './queries.ts';
import { queriesOfMails, readCorpus } from './real-corpus.ts';

const USAGE = `usage: test/long search [--corpus] [--seed N] [--mails N] [--queries N]
  --corpus   uses the mails of SpamAssassin instead of generated ones
  --seed     repeats a run
  --mails    number of mails
  --queries  number of queries`;

const { fromCorpus, seed, most, numRuns } = readCommandLine(
  USAGE,
  {
    options: {
      corpus: { type: 'boolean', default: false },
      seed: { type: 'string' },
      mails: { type: 'string', default: '2000' },
      queries: { type: 'string', default: '500' },
    },
  },
  ({ values }) => ({
    fromCorpus: values.corpus,
    seed: values.seed === undefined ? randomInt(1, 2 ** 31) : positive(values.seed),
    most: positive(values.mails),
    numRuns: positive(values.queries),
  }),
);
const write = (line: string) => process.stdout.write(`${line}\n`);
write(`seed ${seed}`);

const folder = await makeTempDir();
const sqlite = await openTestContext({ DATABASE_URL: `sqlite:${folder.path}/search.sqlite` });
const postgres = await openTestContext();
const filled = [
  { name: 'SQLite', test: sqlite },
  { name: 'PostgreSQL', test: postgres },
];
try {
  const now = sqlite.context.now();
  const mails = fromCorpus
    ? await readCorpus(join(await folderOf(SOURCES.ham, new Map()), 'data'), most, now)
    : makeCorpus(seed, most, now);
  const indexed = Math.floor(mails.length * 0.8);
  for (const { test } of filled) {
    await prepare(test);
    await store(test, mails.slice(0, indexed));
    await indexMails(test.context);
    await store(test, mails.slice(indexed));
  }
  const asked = fromCorpus ? queriesOfMails(seed, mails) : queries;
  const texts = fc.sample(asked, { seed, numRuns });
  const { compared, found, differences } = await compare(filled, mails, texts, now);
  write(`${mails.length} mails, ${indexed} of them indexed`);
  write(`${texts.length} queries: ${compared} valid, ${found} find something`);
  for (const difference of differences.slice(0, 20)) write(JSON.stringify(difference));
  write(`${differences.length} differences`);
  process.exitCode = differences.length === 0 && compared > 0 ? 0 : 1;
} finally {
  await sqlite.close();
  await postgres.close();
  await folder.remove();
}
