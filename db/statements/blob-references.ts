import type { Db, Store } from '../store.ts';

/**
 * Which blobs rows refer to, among those named after these ids: ingest ids for raw mail, attachment
 * ids for attachments. Asked by id, since no index is kept over the keys themselves.
 */
export async function referredBlobKeys(store: Store, ids: string[]): Promise<Set<string>> {
  const [raw, attached] = await Promise.all([
    store.query(rawBlobs, ids),
    store.query(attachmentBlobs, ids),
  ]);
  return new Set([...raw, ...attached].flatMap(({ key }) => key ?? []));
}

function rawBlobs(db: Db, ingestIds: string[]) {
  const { mails } = db.t;
  return db
    .select({ key: mails.rawBlobKey })
    .from(mails)
    .where(db.among(mails.ingestId, ingestIds));
}

function attachmentBlobs(db: Db, attachmentIds: string[]) {
  const { attachments: a } = db.t;
  return db.select({ key: a.blobKey }).from(a).where(db.among(a.id, attachmentIds));
}
