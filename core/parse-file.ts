/**
 * The child's work for a mail that lies in a file: it is read from there, and large attachments go into files
 * of their own, so that few bytes pass between the processes.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INLINE_MAX_BYTES } from './blobs.js';
import { errorText } from './errors.js';
import { type Mail, parseMail } from './mail.js';

export interface DraftFile {
  path: string;
  /** Bytes. */
  size: number;
}

export type FileParse = Mail<Buffer | DraftFile> | { unreadable: string };

/** What the child is at: only while it parses is the mail to blame for how long it takes. */
export type Phase = 'reading' | 'parsing' | 'writing';

/** Never rejects: that the file cannot be read is told apart from what is wrong with the mail in it. */
export async function parseFile(
  path: string,
  drafts: string,
  tell: (phase: Phase) => void,
): Promise<FileParse> {
  let raw: Buffer;
  try {
    raw = readFileSync(path); // this process has nothing else to do
  } catch (error) {
    return { unreadable: errorText(error) };
  }
  tell('parsing');
  const mail = await parseMail(raw);
  tell('writing');
  const attachments = mail.attachments.map((attachment) => ({
    ...attachment,
    content: draftOf(attachment.content, drafts),
  }));
  return { ...mail, attachments };
}

/** The bytes themselves where they are few, or cannot be written: then whoever stores them says so. */
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
    // the sweep finds it
  }
}
