/**
 * Parses a mail in a file. The child reads the mail from its file and writes large attachments to
 * files, so few bytes pass between the processes. {@link parseFile} runs in the child, the other
 * functions in its parent.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlobFile, INLINE_MAX_BYTES, blobStoreUnavailable } from '../blobs/blob-store.ts';
import { errorText } from '../errors.ts';
import { type DraftContent, type Mail, parseMail } from './parse-mail.ts';

export interface DraftFile {
  path: string;
  /** Bytes. */
  size: number;
}

export type FileParse = Mail<Buffer | DraftFile> | { unreadable: string };

/** The phase of the child. Only the time of `parsing` counts against the mail. */
export type Phase = 'reading' | 'parsing' | 'writing';

/** Never rejects. The result distinguishes an unreadable file from a mail that cannot be parsed. */
export async function parseFile(
  path: string,
  drafts: string,
  onPhase: (phase: Phase) => void,
): Promise<FileParse> {
  let raw: Buffer;
  try {
    raw = readFileSync(path); // synchronous, because this process has nothing else to do
  } catch (error) {
    return { unreadable: errorText(error) };
  }
  onPhase('parsing');
  const mail = await parseMail(raw);
  onPhase('writing');
  const attachments = mail.attachments.map((attachment) => ({
    ...attachment,
    content: draftOf(attachment.content, drafts),
  }));
  return { ...mail, attachments };
}

/** The first bytes of a mail in a file. @throws {AppError} `unavailable`. */
export async function readHead({ path }: BlobFile, bytes: number): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes));
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw blobStoreUnavailable(error);
  }
}

/** The parsed mail, whose attachments in files can be adopted as blobs. */
export function withDrafts(
  mail: Mail<Buffer | DraftFile>,
  { adopt }: BlobFile,
): Mail<Buffer | DraftContent> {
  const attachments = mail.attachments.map((attachment) => {
    const { content } = attachment;
    if (Buffer.isBuffer(content)) return { ...attachment, content };
    const { path, size } = content;
    return { ...attachment, content: { size, adopt: (key: string) => adopt(path, key) } };
  });
  return { ...mail, attachments };
}

/**
 * Writes large content to a draft file. Small content, or content that cannot be written, is
 * returned as bytes; storing it then reports the error.
 */
function draftOf(content: Buffer, drafts: string): Buffer | DraftFile {
  if (content.length <= INLINE_MAX_BYTES) return content;
  const path = join(drafts, randomUUID());
  try {
    mkdirSync(drafts, { recursive: true });
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    return { path, size: content.length };
  } catch {
    discard(path);
    return content;
  }
}

function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // the sweep removes it
  }
}
