import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { openDiskBlobs } from '../../../core/blobs/disk.ts';
import { type BlobFile, type BlobStore, readBlob } from '../../../core/blobs/blob-store.ts';
import type { DraftContent, Mail } from '../../../core/mime/parse-mail.ts';
import { type ParsePool, openParsePool } from '../../../core/mime/parser-pool.ts';
import { attachmentMail } from '../../support/mail/attachment-mail.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { run } from '../../support/process/programs.ts';
import { rejectionCodes } from '../../support/mocha/rejection.ts';
import { tempDir } from '../../support/context/temp-dir.ts';

const ENOUGH_MS = 50_000;
/** A child that has loaded the parser takes 12 of them. */
const CHILD_MIB = 20;

describe('parse pool', () => {
  let pool: ParsePool;
  afterEach(() => {
    pool.close();
  });

  it('parses in a separate process, including attachments', async () => {
    pool = openParsePool(ENOUGH_MS);
    const body = Buffer.alloc(2_000_000, 5).toString('base64');
    const mail = await pool.parse(
      Buffer.from(
        `Subject: large\r\nContent-Type: application/x-test\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}`,
      ),
    );
    expect(mail.parseError).to.equal(null);
    expect(Buffer.alloc(2_000_000, 5).equals(mail.attachments[0]?.content as Buffer)).to.equal(
      true,
    );
  });

  describe('of a mail in a file', () => {
    const raw = attachmentMail([
      { bytes: Buffer.alloc(1_048_577, 5) },
      { bytes: Buffer.alloc(1_048_576, 5) },
    ]);
    const folder = tempDir('each');
    let blobs: BlobStore;
    let file: BlobFile;

    beforeEach(async () => {
      blobs = openDiskBlobs(folder.path);
      await blobs.put('raw', Buffer.from(raw));
      file = (await blobs.file?.('raw'))!;
    });
    const sizes = (mail: Mail<Buffer | DraftContent>) =>
      mail.attachments.map(({ content }) =>
        Buffer.isBuffer(content) ? content.length : `${content.size} in a file`,
      );

    it('leaves its large attachments in files that become blobs', async () => {
      pool = openParsePool(ENOUGH_MS);
      const mail = await pool.parse(file);
      expect(mail).to.include({ subject: 'files', parseError: null });
      expect(sizes(mail)).to.deep.equal(['1048577 in a file', 1_048_576]);
      await (mail.attachments[0]?.content as DraftContent).adopt('attachments/one');
      expect(
        Buffer.alloc(1_048_577, 5).equals((await readBlob(blobs, 'attachments/one'))!),
      ).to.equal(true);
      expect(await readdir(file.drafts)).to.deep.equal([]);
    });

    it('returns the bytes if files cannot be written', async () => {
      pool = openParsePool(ENOUGH_MS);
      await rm(file.drafts, { recursive: true });
      await writeFile(file.drafts, 'in the way');
      expect(sizes(await pool.parse(file))).to.deep.equal([1_048_577, 1_048_576]);
    });

    it('keeps the headers if parsing exceeds the time limit', async () => {
      pool = openParsePool(500);
      await pool.parse(Buffer.from('Subject: first\r\n\r\nthe child has started'));
      // Empty lines take longest for their bytes, so that reading the file takes least of the time.
      const slow = `Subject: slow\r\n\r\n${'\r\n'.repeat(10_000_000)}`;
      await writeFile(file.path, slow);
      const mail = await pool.parse(file);
      expect(mail).to.include({ subject: 'slow', parseError: 'parsing took too long' });
    });

    it('is retried later if reading the file times out', async () => {
      pool = openParsePool(100);
      await rm(file.path);
      run('mkfifo', [file.path]); // nothing writes to it
      expect(await rejectionCodes([() => pool.parse(file)])).to.deep.equal(['unavailable']);
    });

    it('is retried later while the file is unreadable', async () => {
      pool = openParsePool(ENOUGH_MS);
      await rm(file.path);
      await mkdir(file.path);
      expect(
        await rejectionCodes([() => pool.parse(file), () => pool.parseHeaders(file, 'a reason')]),
      ).to.deep.equal(['unavailable', 'unavailable']);
    });
  });

  it('keeps the headers of a mail that exceeds the time limit, and continues', async () => {
    pool = openParsePool(1);
    const mail = await pool.parse(Buffer.from(`Subject: slow\r\n\r\n${'x'.repeat(20_000_000)}`));
    expect(mail).to.include({ subject: 'slow', text: null, parseError: 'parsing took too long' });
  });

  it('keeps the headers of a mail that exceeds the memory limit, and continues', async () => {
    pool = openParsePool(ENOUGH_MS, CHILD_MIB);
    const mail = await pool.parse(Buffer.from(`Subject: fat\r\n\r\n${'x\r\n'.repeat(1_500_000)}`));
    expect(mail).to.include({ subject: 'fat', text: null });
    expect(mail.parseError).to.contain('memory');
    const next = await pool.parse(Buffer.from('Subject: next\r\n\r\nfine'));
    expect(next).to.include({ subject: 'next', text: 'fine', parseError: null });
  });

  it('uses a new child while idle ones are ending', async () => {
    pool = openParsePool(ENOUGH_MS, undefined, 1);
    for (let round = 1; round <= 3; round += 1) {
      const raw = Buffer.from(`Subject: round ${round}\r\n\r\nx`);
      const mails = await Promise.all([pool.parse(raw), pool.parse(raw)]);
      expect(mails.map(({ subject }) => subject)).to.deep.equal(Array(2).fill(`round ${round}`));
      // Timers of one duration fire in the order in which they were set: those of the children
      // first.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  });

  it('has a time limit in the quick lane, and returns null above it', async () => {
    const quickly = (raw: string) => pool.parseQuickly(Buffer.from(raw), raw.length);
    pool = openParsePool(1);
    expect(await quickly(`Subject: slow\r\n\r\n${'x'.repeat(20_000_000)}`)).to.equal(null);
    pool.close();
    pool = openParsePool(ENOUGH_MS, CHILD_MIB);
    expect(await quickly(`Subject: fat\r\n\r\n${'x\r\n'.repeat(1_500_000)}`)).to.equal(null);
    // On a busy machine, the start of a child can exceed the limit too.
    const mail = await eventually('a child', () => quickly('Subject: next\r\n\r\nfine'));
    expect(mail).to.include({ subject: 'next', text: 'fine' });
  });

  it('reports the exceeded limit before it reads the header', async () => {
    pool = openParsePool(1);
    const limits: string[] = [];
    const slow = Buffer.from(`Subject: slow\r\n\r\n${'x'.repeat(20_000_000)}`);
    await pool.parse(slow, async (limit) => void limits.push(limit));
    pool.close();
    pool = openParsePool(ENOUGH_MS, CHILD_MIB);
    const fat = Buffer.from(`Subject: fat\r\n\r\n${'x\r\n'.repeat(1_500_000)}`);
    await pool.parse(fat, async (limit) => void limits.push(limit));
    expect(limits).to.deep.equal(['time', 'memory']);
  });
});
