/**
 * Deletes orphaned blobs, left by a crash between two steps or by a deletion whose job could not be
 * added. A blob is an orphan if it is old, no row refers to it and no accepted mail waits for it.
 * Mail stops waiting only after its rows are committed, so the rows are read after it, too.
 */
import { referredBlobKeys } from '../../db/statements/blob-references.ts';
import { hasIngestJob } from '../intake/ingest-job.ts';
import { type NamedBlob, blobFolders, parseBlobKey } from '../blobs/keys.ts';
import type { Context } from '../context.ts';
import { idTime } from '../ids.ts';

const HOUR_MS = 60 * 60_000;
const GRACE_MS = 48 * HOUR_MS;

/** Deletes the orphans; resolves to their number. */
export async function deleteOrphanBlobs(context: Context): Promise<number> {
  const cutoff = context.now() - GRACE_MS;
  const waiting = await waitingSince(context, cutoff + HOUR_MS);
  let count = 0;
  for (const folder of blobFolders) {
    for await (const keys of context.blobs.olderThan(folder, cutoff)) {
      for (const key of await orphansAmong(context, keys, waiting)) {
        await context.blobs.delete(key);
        count += 1;
      }
    }
  }
  return count;
}

/**
 * Those of these blobs that no row refers to and no accepted mail waits for.
 * @param waiting ids of accepted mails whose attachments may be written already, without a row.
 */
export async function orphansAmong(
  context: Pick<Context, 'queues' | 'store'>,
  keys: string[],
  waiting: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const candidates = await unreferred(
    context,
    keys.flatMap((key) => parseBlobKey(key) ?? []),
  );
  const unawaited: NamedBlob[] = [];
  for (const blob of candidates) {
    if (!(await isAwaited(context, blob, waiting))) unawaited.push(blob);
  }
  return (await unreferred(context, unawaited)).map(({ key }) => key);
}

async function unreferred(
  { store }: Pick<Context, 'store'>,
  blobs: NamedBlob[],
): Promise<NamedBlob[]> {
  const owners = blobs.flatMap(({ ownerId }) => ownerId ?? []);
  const referred = await referredBlobKeys(store, owners);
  return blobs.filter(({ key }) => !referred.has(key));
}

/** Whether accepted mail may need the blob. The key of an attachment does not identify its mail. */
async function isAwaited(
  context: Pick<Context, 'queues'>,
  { folder, ownerId }: NamedBlob,
  waiting: ReadonlySet<string>,
): Promise<boolean> {
  if (ownerId === null) return false;
  if (folder === 'raw') {
    return waiting.has(ownerId) || (await hasIngestJob(context, ownerId));
  }
  return [...waiting].some((id) => Math.abs(idTime(id) - idTime(ownerId)) < HOUR_MS);
}

async function waitingSince(
  context: Pick<Context, 'mailSpool'>,
  time: number,
): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const ids of context.mailSpool.waitingSince(time)) for (const id of ids) found.add(id);
  return found;
}
