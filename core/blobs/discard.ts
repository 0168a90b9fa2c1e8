import * as z from 'zod';
import { errorText } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import type { Queues } from '../queue/queues.ts';
import { ENDLESS, type JobContract } from '../queue/job-contract.ts';

/** Deletes blobs whose rows are removed. Retried until the blob store accepts the deletion. */
export const deleteBlobsJob: JobContract<{ keys: string[] }> = {
  name: 'delete-blobs',
  payload: z.object({ keys: z.array(z.string()) }),
  options: {
    attempts: ENDLESS,
    backoff: { type: 'capped' },
    removeOnComplete: true,
    stackTraceLimit: 1,
  },
};

/**
 * Enqueues the deletion of blobs whose rows are removed. If the queue is unreachable, this is only
 * logged: the sweep deletes orphaned blobs.
 */
export async function discardBlobs(
  context: { readonly log: Logger; readonly queues: Queues },
  keys: string[],
): Promise<void> {
  if (keys.length === 0) return;
  try {
    await context.queues.enqueue(deleteBlobsJob, { keys }, newId('blobs'));
  } catch (error) {
    context.log.warn('blobs not deleted, the sweep deletes them later', {
      keys,
      fault: errorText(error),
    });
  }
}
