import { expect } from 'chai';
import { type ParsePool, openParsePool } from '../../core/parse-pool.js';

describe('parse pool', () => {
  let pool: ParsePool;
  afterEach(() => pool.close());

  it('parses in a process of its own, attachments included', async () => {
    pool = openParsePool(20_000);
    const body = Buffer.alloc(2_000_000, 5).toString('base64');
    const mail = await pool.parse(
      Buffer.from(
        `Subject: large\r\nContent-Type: application/x-test\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}`,
      ),
    );
    expect(mail.parseError).to.equal(null);
    expect(mail.attachments[0]?.content.equals(Buffer.alloc(2_000_000, 5))).to.equal(true);
  });

  it('keeps the headers of a mail that takes too long, and goes on', async () => {
    pool = openParsePool(1);
    const mail = await pool.parse(Buffer.from(`Subject: slow\r\n\r\n${'x'.repeat(20_000_000)}`));
    expect(mail).to.include({ subject: 'slow', text: null, parseError: 'parsing took too long' });
  });

  it('keeps the headers of a mail that takes too much memory, and goes on', async () => {
    pool = openParsePool(20_000, 16);
    const mail = await pool.parse(Buffer.from(`Subject: fat\r\n\r\n${'x'.repeat(26_000_000)}`));
    expect(mail).to.include({ subject: 'fat', text: null });
    expect(mail.parseError).to.contain('memory');
    const next = await pool.parse(Buffer.from('Subject: next\r\n\r\nfine'));
    expect(next).to.include({ subject: 'next', text: 'fine', parseError: null });
  });

  it('lets only a few heavy mails in at once', async () => {
    pool = openParsePool(20_000);
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, () =>
        pool.admit(1, async () => {
          most = Math.max(most, (inside += 1));
          await new Promise(setImmediate);
          inside -= 1;
        }),
      ),
    );
    expect(most).to.equal(2);
  });

  it('lets the largest in alone', async () => {
    pool = openParsePool(20_000);
    let inside = 0;
    await Promise.all(
      Array.from({ length: 3 }, () =>
        pool.admit(24 * 1024 * 1024, async () => {
          expect((inside += 1)).to.equal(1);
          await new Promise(setImmediate);
          inside -= 1;
        }),
      ),
    );
  });
});
