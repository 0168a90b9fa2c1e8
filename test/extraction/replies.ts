/**
 * `test/long replies [--held-out] [--git OWNER/NAME=GIT_DIRECTORY ...]`: compares the text of
 * replies with what public collections of mails expect. Rules are developed with two collections;
 * the third is looked at only with `--held-out`, as numbers, and each look is added to a log.
 */
import { execFileSync } from 'node:child_process';
import { appendFile, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findReply } from '../../core/extraction/reply/reply-text.ts';
import { parseMail } from '../../core/mime/parse-mail.ts';
import { readCommandLine } from '../support/command-line.ts';
import { percent, scoreOf } from './score.ts';
import { SOURCES, folderOf } from './sources.ts';

const LOG = 'test/extraction/held-out-log.md';
/** Mails of the held-out collection that were read once, to learn how other clients quote. */
const READ = /^embedded_email_(?:7|11|17|german_4)\.txt$/;

const USAGE = `usage: test/long replies [--held-out] [--git OWNER/NAME=GIT_DIRECTORY]...
  --held-out  reads the held-out collections, and logs the run
  --git       reads a collection from a git directory on this machine`;

interface Sample {
  name: string;
  text: string | null;
  html: string | null;
  /** The text of the author, as the collection has it. */
  expected: string;
}

const { clones, isHeldOut } = readCommandLine(
  USAGE,
  {
    options: {
      'held-out': { type: 'boolean', default: false },
      git: { type: 'string', multiple: true, default: [] },
    },
  },
  ({ values }) => ({
    clones: new Map(values.git.map((option) => option.split('=', 2) as [string, string])),
    isHeldOut: values['held-out'],
  }),
);

const lines: string[] = [];
if (isHeldOut) {
  add('replies of discourse/email_reply_trimmer', await discourseSamples());
  await note();
} else {
  const collections = {
    'replies of crisp-oss/email-reply-parser': await crispSamples(),
    'replies of mailgun/talon, text': await talonTexts(),
    'replies of mailgun/talon, HTML': await talonPages(),
  };
  for (const [what, samples] of Object.entries(collections)) add(what, samples);
  const samples = Object.values(collections).flat();
  for (const sample of samples.filter((each) => !isRight(each))) {
    lines.push(`  ${sample.name}: ${JSON.stringify(findReply(sample).text).slice(-200)}`);
  }
}
process.stdout.write(`${lines.join('\n')}\n`);

function add(what: string, samples: Sample[]): void {
  lines.push(`${what.padEnd(42)} ${percent(scoreOf(samples.map(isRight)))}`);
}

function isRight(sample: Sample): boolean {
  return squeezed(findReply(sample).text) === squeezed(sample.expected);
}

/** Without quoted lines, which some collections keep between answers, and without blanks. */
function squeezed(text: string): string {
  return text
    .split(/\r?\n/)
    .filter((line) => !line.startsWith('>'))
    .join('')
    .replace(/\s+/g, '');
}

/** Most mails of this collection begin with the same paragraphs and quote something below them. */
async function crispSamples(): Promise<Sample[]> {
  const folder = join(await folderOf(SOURCES.crisp, clones), 'test/fixtures');
  const end = 'odio id arcu varius aliquet nec nec nibh.';
  const all = await Promise.all((await readdir(folder)).map((name) => plainSample(folder, name)));
  return all.flatMap((sample) => {
    const at = sample.text.indexOf(end);
    if (!sample.text.trimStart().startsWith('Fusce bibendum') || at < 0) return [];
    return [{ ...sample, expected: sample.text.slice(0, at + end.length) }];
  });
}

async function plainSample(folder: string, name: string) {
  return { name, text: await readFile(join(folder, name), 'utf8'), html: null };
}

async function discourseSamples(): Promise<Sample[]> {
  const folder = join(await folderOf(SOURCES.discourse, clones), 'test');
  const names = (await readdir(join(folder, 'emails'))).filter((name) => !READ.test(name));
  return Promise.all(
    names.map(async (name) => ({
      ...(await plainSample(join(folder, 'emails'), name)),
      expected: await readFile(join(folder, 'trimmed', name), 'utf8'),
    })),
  );
}

async function talonTexts(): Promise<Sample[]> {
  const folder = join(await folderOf(SOURCES.talon, clones), 'tests/fixtures/standard_replies');
  const names = await readdir(folder);
  const mails = names.filter((name) => name.endsWith('.eml'));
  return Promise.all(
    mails.map(async (name) => {
      const { text } = await parseMail(await readFile(join(folder, name)));
      const own = name.replace(/\.eml$/, '_reply_text');
      const expected = names.includes(own) ? await readFile(join(folder, own), 'utf8') : 'Hello';
      // This collection keeps signatures.
      return { name, text, html: null, expected: findReply({ text: expected, html: null }).text };
    }),
  );
}

async function talonPages(): Promise<Sample[]> {
  const folder = join(await folderOf(SOURCES.talon, clones), 'tests/fixtures/html_replies');
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name) => ({
      ...{ name, text: null, html: await readFile(join(folder, name), 'utf8') },
      expected: 'Hi. I am fine. Thanks, Alex',
    })),
  );
}

/** Each look at the held-out results, with date and commit. */
async function note(): Promise<void> {
  const commit = execFileSync('git', ['describe', '--always', '--dirty']).toString().trim();
  const fence = '```';
  await appendFile(
    LOG,
    `\n## ${new Date().toISOString()}, ${commit}, replies\n\n${fence}text\n${lines.join('\n')}\n${fence}\n`,
  );
}
