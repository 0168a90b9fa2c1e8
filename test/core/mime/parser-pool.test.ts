import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { openDiskBlobs } from '../../../core/blobs/disk.ts';
import { type BlobFile, type BlobStore, readBlob } from '../../../core/blobs/blob-store.ts';
import type { DraftContent, Mail } from '../../../core/mime/parse-mail.ts';
import { type ParsePool, openParsePool } from '../../../core/mime/parser-pool.ts';
import { attachmentMail } from '../../support/mail/attachment-mail.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { programPath } from '../../support/process/process.ts';
import { run } from '../../support/process/programs.ts';
import { rejectionCodes } from '../../support/mocha/rejection.ts';
import { tempDir } from '../../support/context/temp-dir.ts';

const ENOUGH_MS = 50_000;
/** A busy machine takes longer than the default limit to start a child for the headers. */
const PATIENT = { headersMs: ENOUGH_MS };
/** A child that has loaded the parser takes 12 of them. */
const CHILD_MIB = 20;
const SLOW = Buffer.from(`Subject: slow\r\n\r\n${'x'.repeat(1_000_000)}`);
const FAT = Buffer.from(`Subject: fat\r\n\r\n${'x\r\n'.repeat(1_500_000)}`);

describe('parse pool', () => {
  const opened: ParsePool[] = [];
  const open: typeof openParsePool = (timeoutMs, options) => {
    const script = programPath('core/parser-child');
    const pool = openParsePool(timeoutMs, { script, ...options });
    opened.push(pool);
    return pool;
  };
  /** Has one child for the tests that need no other limits. */
  const patient = open(ENOUGH_MS);
  after(() => {
    for (const pool of opened) pool.close();
  });

  it('parses in a separate process, including attachments', async () => {
    const body = Buffer.alloc(2_000_000, 5).toString('base64');
    const mail = await patient.parse(
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
      const mail = await patient.parse(file);
      expect(mail).to.include({ subject: 'files', parseError: null });
      expect(sizes(mail)).to.deep.equal(['1048577 in a file', 1_048_576]);
      await (mail.attachments[0]?.content as DraftContent).adopt('attachments/one');
      expect(
        Buffer.alloc(1_048_577, 5).equals((await readBlob(blobs, 'attachments/one'))!),
      ).to.equal(true);
      expect(await readdir(file.drafts)).to.deep.equal([]);
    });

    it('returns the bytes if files cannot be written', async () => {
      await rm(file.drafts, { recursive: true });
      await writeFile(file.drafts, 'in the way');
      expect(sizes(await patient.parse(file))).to.deep.equal([1_048_577, 1_048_576]);
    });

    it('keeps the headers if parsing exceeds the time limit', async () => {
      // Empty lines take longest for their bytes, so that reading the file takes least of the time.
      const slow = `Subject: slow\r\n\r\n${'\r\n'.repeat(10_000_000)}`;
      await writeFile(file.path, slow);
      let limitMs = 250;
      const mail = await eventually('a limit that is enough to read the file', async () => {
        limitMs *= 2; // a busy machine can exceed it while it reads
        const pool = open(limitMs, PATIENT);
        await pool.parse(Buffer.from('Subject: first\r\n\r\nthe child has started'));
        const parsed = await pool.parse(file).catch(() => null);
        if (parsed === null) pool.close();
        return parsed;
      });
      expect(mail).to.include({ subject: 'slow', parseError: 'parsing took too long' });
    });

    it('is retried later if reading the file times out', async () => {
      const pool = open(100);
      await rm(file.path);
      run('mkfifo', [file.path]); // nothing writes to it
      expect(await rejectionCodes([() => pool.parse(file)])).to.deep.equal(['unavailable']);
    });

    it('is retried later while the file is unreadable', async () => {
      await rm(file.path);
      await mkdir(file.path);
      const calls = [() => patient.parse(file), () => patient.parseHeaders(file, 'a reason')];
      expect(await rejectionCodes(calls)).to.deep.equal(['unavailable', 'unavailable']);
    });
  });

  const limits: string[] = [];
  const onLimit = async (limit: string) => void limits.push(limit);

  it('keeps the headers of a mail that exceeds the time limit, and reports the limit', async () => {
    const mail = await open(1, PATIENT).parse(SLOW, onLimit);
    expect(limits.splice(0)).to.deep.equal(['time']);
    expect(mail).to.include({ subject: 'slow', text: null, parseError: 'parsing took too long' });
  });

  it('keeps the headers of a mail that exceeds the memory limit, and continues', async () => {
    const pool = open(ENOUGH_MS, { ...PATIENT, heapMb: CHILD_MIB });
    const mail = await pool.parse(FAT, onLimit);
    expect(limits.splice(0)).to.deep.equal(['memory']);
    expect(mail).to.include({ subject: 'fat', text: null });
    expect(mail.parseError).to.contain('memory');
    const next = await pool.parse(Buffer.from('Subject: next\r\n\r\nfine'));
    expect(next).to.include({ subject: 'next', text: 'fine', parseError: null });
  });

  it('has a time limit in the quick lane, and returns null above it', async () => {
    expect(await open(1).parseQuickly(SLOW, SLOW.length)).to.equal(null);
    const pool = open(ENOUGH_MS, { heapMb: CHILD_MIB });
    expect(await pool.parseQuickly(FAT, FAT.length)).to.equal(null);
    const next = Buffer.from('Subject: next\r\n\r\nfine');
    // A busy machine can exceed the limit, too.
    const mail = await eventually('a mail', () => patient.parseQuickly(next, next.length));
    expect(mail).to.include({ subject: 'next', text: 'fine' });
  });
});
