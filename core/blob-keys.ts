/**
 * The names of blobs: `FOLDER/DAY/ID`. The id is that of the row, or of the queued mail, that the blob
 * belongs to, so the sweep can ask about a blob by its name alone; the day keeps folders from growing
 * without end. What is named otherwise is not ours and is left alone.
 */
import { idTime } from './ids.js';

export const blobFolders = ['raw', 'attachments', 'drafts'] as const;

export type BlobFolder = (typeof blobFolders)[number];

const KEY =
  /^(?:(?<folder>raw|attachments)\/\d{4}-\d\d-\d\d\/(?<id>(?:ing|att)_[0-9a-z_]+)|drafts\/[0-9a-f-]{36})$/;

/** Whom a blob belongs to; a draft that is left belongs to nobody. */
export interface NamedBlob {
  key: string;
  folder: BlobFolder;
  ownerId: string | null;
}

/** The blob that a large raw mail lies in. */
export function rawBlobKey(ingestId: string): string {
  return `raw/${dayOf(idTime(ingestId))}/${ingestId}`;
}

/** The blob that a large attachment lies in. */
export function attachmentBlobKey(attachmentId: string, receivedAt: number): string {
  return `attachments/${dayOf(receivedAt)}/${attachmentId}`;
}

/** What a key says of its blob, or null for a key that none of these functions made. */
export function readBlobKey(key: string): NamedBlob | null {
  const match = KEY.exec(key);
  if (!match) return null;
  const { folder = 'drafts', id = null } = (match.groups ?? {}) as Partial<{
    folder: BlobFolder;
    id: string;
  }>;
  return { key, folder, ownerId: id };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
