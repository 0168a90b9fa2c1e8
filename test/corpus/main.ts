/**
 * `test/long corpus [FOLDER]`: sends real mail through a new Mayfly, started like `up`, and checks
 * that every message is accepted, visible and unchanged. Without a folder it installs the public
 * corpus of SpamAssassin into a temporary one.
 */
import { startProduct } from '../support/process/product.ts';
import { checkAll } from './check.ts';
import { installCorpus } from './install-corpus.ts';
import { readMails } from './mails.ts';

const MAILS = 2000;

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
