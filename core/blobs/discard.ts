import { deleteBlobsJob } from './delete-job.js';
import type { Context } from '../context.js';
import { errorText } from '../errors.js';
import { newId } from '../ids.js';

/**
 * Adds a job that deletes blobs whose rows have been removed. A queue that cannot be reached is logged and is not an
 * error: the sweep deletes orphaned blobs.
 */
export async function discardBlobs(
  context: Pick<Context, 'log' | 'queues'>,
  keys: string[],
): Promise<void> {
  if (keys.length === 0) return;
  try {
    await context.queues.enqueue(deleteBlobsJob, { keys }, newId('blobs'));
  } catch (error) {
    context.log.warn('discarded blobs await the sweep', { keys, fault: errorText(error) });
  }
}
