/**
 * Finds orphaned blobs, left by a crash between two steps or by a deletion whose job could not be added. A blob is
 * an orphan when it is old, no row refers to it and no accepted mail waits for it. Waiting mail is read before the
 * rows: a mail stops waiting only after its rows are committed.
 */
import { referredBlobKeys } from '../../db/statements/blob-references.js';
import { ingestJob } from '../ingest/ingest-job.js';
import { type NamedBlob, blobFolders, readBlobKey } from '../blobs/keys.js';
import type { Context } from '../context.js';
import { idTime } from '../ids.js';

const HOUR_MS = 60 * 60_000;
const GRACE_MS = 48 * HOUR_MS;

/** Deletes the orphans; resolves to their number. */
export async function deleteOrphanBlobs(context: Context): Promise<number> {
  const cutoff = context.now() - GRACE_MS;
  const waiting = await waitingSince(context, cutoff + HOUR_MS);
  let count = 0;
  for (const folder of blobFolders) {
    for await (const keys of context.blobs.olderThan(folder, cutoff)) {
      for (const { key } of await orphansAmong(context, keys, waiting)) {
        await context.blobs.delete(key);
        count += 1;
      }
    }
  }
  return count;
}

async function orphansAmong(
  context: Pick<Context, 'queues' | 'store'>,
  keys: string[],
  waiting: ReadonlySet<string>,
): Promise<NamedBlob[]> {
  const named = keys.flatMap((key) => readBlobKey(key) ?? []);
  const referred = await referredBlobKeys(
    context.store,
    named.flatMap(({ ownerId }) => ownerId ?? []),
  );
  const orphans: NamedBlob[] = [];
  for (const blob of named.filter(({ key }) => !referred.has(key))) {
    if (!(await isAwaited(context, blob, waiting))) orphans.push(blob);
  }
  return orphans;
}

/** Whether accepted mail needs the blob, or may: an attachment's name does not say whose it is. */
async function isAwaited(
  context: Pick<Context, 'queues'>,
  { folder, ownerId }: NamedBlob,
  waiting: ReadonlySet<string>,
): Promise<boolean> {
  if (ownerId === null) return false;
  if (folder === 'raw') {
    return waiting.has(ownerId) || (await context.queues.has(ingestJob, ownerId));
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
