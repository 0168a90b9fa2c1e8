/**
 * Blob keys: `FOLDER/DAY/ID`. The id is that of the owning row or queued mail, so the sweep finds
 * the owner by the key. The day limits the size of a folder. Keys of another form are ignored.
 */
import { idTime } from '../ids.ts';

export const blobFolders = ['raw', 'attachments', 'drafts'] as const;

export type BlobFolder = (typeof blobFolders)[number];

const KEY =
  /^(?:(?<folder>raw|attachments)\/\d{4}-\d\d-\d\d\/(?<id>(?:ing|att)_[0-9a-z_]+)|drafts\/[0-9a-f-]{36})$/;

/** The owner of a blob; a leftover draft has none. */
export interface NamedBlob {
  key: string;
  folder: BlobFolder;
  ownerId: string | null;
}

/** The key of the blob of a large raw mail. */
export function rawBlobKey(ingestId: string): string {
  return `raw/${dayOf(idTime(ingestId))}/${ingestId}`;
}

/** The key of the blob of a large attachment. */
export function attachmentBlobKey(attachmentId: string, receivedAt: number): string {
  return `attachments/${dayOf(receivedAt)}/${attachmentId}`;
}

/** Parses a key; null for a key of another form. */
export function parseBlobKey(key: string): NamedBlob | null {
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
