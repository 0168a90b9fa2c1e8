import * as z from 'zod';
import { errorText } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import type { Queues } from '../queue/queues.ts';
import { type JobContract, untilDone } from '../queue/job-contract.ts';

interface DeleteBlobs {
  keys: string[];
  /** Whether a row or an accepted mail may still refer to a blob, which then stays. */
  mayBeReferred?: boolean | undefined;
}

/** Deletes blobs. Retried until the blob store accepts the deletion. */
export const deleteBlobsJob: JobContract<DeleteBlobs> = {
  name: 'delete-blobs',
  payload: z.object({ keys: z.array(z.string()), mayBeReferred: z.boolean().optional() }),
  options: untilDone,
};

/** A job that was added late runs before its blob is checked. */
const CHECK_AFTER_MS = 60_000;

/** What the enqueuing takes of a context. */
interface Parts {
  readonly log: Logger;
  readonly queues: Queues;
}

/**
 * Enqueues the deletion of blobs whose rows are removed. If the queue is unreachable, this is only
 * logged: the sweep deletes orphaned blobs.
 */
export async function discardBlobs(context: Parts, keys: string[]): Promise<void> {
  if (keys.length > 0) await discard(context, { keys }, 0);
}

/** The same for the blob of a mail that was not accepted, and may be stored all the same. */
export async function discardUnaccepted(context: Parts, key: string): Promise<void> {
  await discard(context, { keys: [key], mayBeReferred: true }, CHECK_AFTER_MS);
}

async function discard(context: Parts, payload: DeleteBlobs, delayMs: number): Promise<void> {
  const { keys } = payload;
  const job = { payload, jobId: newId('blobs'), priority: 0, delayMs };
  try {
    await context.queues.enqueueAll(deleteBlobsJob, [job]);
  } catch (error) {
    context.log.warn('blobs not deleted, the sweep deletes them later', {
      keys,
      fault: errorText(error),
    });
  }
}
