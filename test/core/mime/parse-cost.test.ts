import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { INLINE_MS, parseCost } from '../../../core/mime/parse-cost.ts';
import { type ParsePool, openParsePool } from '../../../core/mime/parser-pool.ts';
import { ROOT } from '../../../core/root.ts';
import { attachmentMail, benchMail, programMail } from '../../load/mails.ts';
import { HOSTILE_SHAPES } from '../../support/mail/hostile-shapes.ts';

const OF_REQUEST_MS = 16;
const SIZE = 1_000_000;
/** Each takes longer than 40 ms in a size below that of mail that is always parsed in a child. */
const SLOW = ['lines of dashes', 'flowed lines', 'short fields of a part', 'open comments'];
const inParts = (fields: string, body = 'x') =>
  Buffer.from(
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${`--b\r\n${fields}\r\n\r\n${body}\r\n`.repeat(90)}--b--\r\n`,
  );

describe('the estimate before parsing', () => {
  let pool: ParsePool;
  afterEach(() => {
    pool.close();
  });

  it('leaves mail that is slow to parse to a child process', async () => {
    pool = openParsePool(60_000);
    const slow = {
      ...Object.fromEntries(SLOW.map((shape) => [shape, HOSTILE_SHAPES[shape]!(SIZE)])),
      'line feeds': Buffer.from(`Subject: a\r\n\r\n${'\n'.repeat(SIZE)}`),
      'a header of words': Buffer.from(
        `To: ${'=?iso-2022-jp?B?GyRCJDM=?= <a@b.c>, '.repeat(2000)}\r\n\r\nx`,
      ),
      'headers of parts': inParts(
        `Content-Disposition: attachment; filename="${'=?iso-2022-jp?B?GyRCJDM=?= '.repeat(350)}"`,
      ),
    };
    for (const [what, raw] of Object.entries(slow)) {
      expect(await pool.parseInline(raw), what).to.equal(null);
    }
  });

  it('leaves ordinary mail of 500 KB in the worker, and half of that in the web process', () => {
    pool = openParsePool(60_000);
    for (const mail of [benchMail, programMail, attachmentMail]) {
      expect(parseCost(Buffer.from(mail(500_000))), mail.name).to.be.below(INLINE_MS / 2);
      expect(parseCost(Buffer.from(mail(250_000))), mail.name).to.be.below(OF_REQUEST_MS);
    }
  });

  it('has the limit of its process', async () => {
    pool = openParsePool(60_000, { inlineMs: OF_REQUEST_MS });
    const raw = Buffer.from(benchMail(800_000));
    expect(await pool.parseInline(raw)).to.equal(null);
    pool.close();
    pool = openParsePool(60_000);
    expect((await pool.parseInline(raw))?.subject).to.equal('bench 0');
  });

  it('takes a header to its first empty line, whatever its line ends', async () => {
    pool = openParsePool(60_000);
    const order = (await readFile(join(ROOT, 'test/mail/order.eml'))).toString('latin1');
    const costs = ['\n', '\r\n'].map((end) =>
      parseCost(Buffer.from(order.replaceAll(/\r?\n/g, end))),
    );
    expect(costs[0]).to.be.closeTo(costs[1]!, 0.1 * costs[1]!);
    // A line of one character ends no header.
    const short = `${'A\n'.repeat(5000)}\n${'x'.repeat(10_000)}`;
    expect(parseCost(Buffer.from(short))).to.be.above(parseCost(Buffer.from(`\n${short}`)) + 4);
    const long = Buffer.from(`Subject: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\nx`);
    expect(parseCost(long)).to.be.above(
      10 * parseCost(Buffer.from(`Subject: a\r\n\r\n${long.toString()}`)),
    );
  });

  it('reads no addresses of enclosed mails for their names', async () => {
    pool = openParsePool(60_000);
    const enclosed = `Subject: =?utf-8?q?gr=C3=BC=C3=9Fe?=\r\nTo: ${'<a@b.c>, '.repeat(50)}`;
    const mail = await pool.parseInline(
      inParts('Content-Type: message/rfc822', `${enclosed}\r\n\r\nx`),
    );
    expect(mail?.attachments.slice(0, 2).map(({ filename }) => filename)).to.deep.equal([
      'grüße.eml',
      'grüße.eml',
    ]);
  });
});
