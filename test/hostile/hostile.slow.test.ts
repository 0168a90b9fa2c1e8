/** Hostile mail through every way that reads it. The programs end when a pattern hangs. */
import { expect } from 'chai';
import { join } from 'node:path';
import { ROOT } from '../../core/root.ts';
import { operations } from '../support/contract/operations.ts';
import { isLongForm } from '../support/mocha/long-form.ts';
import { runNode } from '../support/process/command.ts';
import { KINDS } from './kinds.ts';
import { growth } from './measure.ts';
import { EXCLUDED, READERS, READ_OPERATIONS, isUsual } from './readers.ts';

const PROGRAM = join(ROOT, 'test/hostile/main.ts');
/** Paths of what can have the text of a mail. */
const READS = /^\/api\/(?:mailboxes|messages|events)|^\/attachments/;

describe('hostile mail', function () {
  this.timeout(900_000); // half a minute of CPU time, of which a busy machine gives little

  it('takes each reader time in proportion to its size, but with planted faults', async () => {
    // The last one hangs, and ends the program.
    const faults = ['quadratic', 'lines', 'loop', 'exponential'];
    const planted = faults.flatMap((fault) => ['--plant', fault]);
    const all = isLongForm ? ['--all'] : [];
    const { stdout, stderr } = await runNode([PROGRAM, '--growth', ...all, ...planted], {});
    const text = stdout + stderr;
    const slow = stdout.matchAll(/^too slow: ([^,\n]*)(?:, \d+ bytes)?: /gm);
    expect(
      Array.from(slow, ([, pair]) => pair),
      text,
    ).to.deep.equal([
      'address: a stray bracket x Mailpit headers',
      'header: many fields x headers',
      'address: a stray bracket x Mailpit headers',
    ]);
    expect(text).to.include(`${KINDS.size} kinds x ${READERS.length} readers`);
    expect(stdout).to.match(/"hang":"address: a stray bracket x Mailpit headers"\}\n$/);
  });

  it('is read by every operation that has text of a mail', () => {
    const listed = [...READ_OPERATIONS, ...Object.keys(EXCLUDED)];
    const known = operations.map(({ id }) => id);
    expect(listed.filter((id) => !known.includes(id))).to.deep.equal([]);
    const missing = operations
      .filter(
        ({ id, method, path }) => method === 'GET' && READS.test(path) && !listed.includes(id),
      )
      .map(({ id }) => id);
    expect(missing).to.deep.equal([]);
  });

  it('shows growth above what is linear or short', async () => {
    const judged = (cost: (bytes: number) => number) => growth(1000, async (bytes) => cost(bytes));
    expect(await judged((bytes) => bytes / 50)).to.equal(null);
    expect(await judged((bytes) => bytes ** 2 / 1e8)).to.equal(null);
    expect(await judged((bytes) => bytes ** 2 / 1e6)).to.be.a('string');
  });

  it('is read in the short form by each reader and of each kind', () => {
    const usual = [...KINDS.keys()].flatMap((kind, k) =>
      READERS.filter(({ name }, r) => isUsual(kind, name, [k, r])).map(({ name }) => [kind, name]),
    );
    expect(new Set(usual.flat()).size).to.equal(KINDS.size + READERS.length);
  });
});
