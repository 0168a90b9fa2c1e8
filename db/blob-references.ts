import { inArray } from 'drizzle-orm';
import type { Db } from './store.js';

/**
 * Which blobs rows refer to, among those named after these ids: ingest ids for raw mail, attachment ids
 * for attachments. Asked by id, since no index is kept over the keys themselves.
 */
export async function referredBlobKeys(db: Db, ids: string[]): Promise<Set<string>> {
  const { mails, attachments } = db.t;
  const [raw, attached] = await Promise.all([
    db.select({ key: mails.rawBlobKey }).from(mails).where(inArray(mails.ingestId, ids)),
    db.select({ key: attachments.blobKey }).from(attachments).where(inArray(attachments.id, ids)),
  ]);
  return new Set([...raw, ...attached].flatMap(({ key }) => key ?? []));
}
