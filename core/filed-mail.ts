/** A mail in a file, on the side of who has it parsed. */
import { open } from 'node:fs/promises';
import { type BlobFile, blobStoreAway } from './blobs.js';
import type { Draft, Mail } from './mail.js';
import type { DraftFile } from './parse-file.js';

/** Its first bytes. @throws {AppError} `unavailable`. */
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
    throw blobStoreAway(error);
  }
}

/** The mail as it was parsed, with what the attachments in files can become. */
export function withDrafts(
  mail: Mail<Buffer | DraftFile>,
  { adopt }: BlobFile,
): Mail<Buffer | Draft> {
  const attachments = mail.attachments.map((attachment) => {
    const { content } = attachment;
    if (Buffer.isBuffer(content)) return { ...attachment, content };
    const { path, size } = content;
    return { ...attachment, content: { size, adopt: (key: string) => adopt(path, key) } };
  });
  return { ...mail, attachments };
}
