import { deleteBlobs } from '../jobs/delete-blobs.js';
import type { Context } from './context.js';
import { errorText } from './errors.js';
import { newId } from './ids.js';

/**
 * Has blobs deleted that no row refers to any more. The rows are gone whatever happens here, so a queue
 * that cannot be reached is no failure: the sweep finds what it did not hear of.
 */
export async function discardBlobs(context: Context, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  try {
    await context.queues.enqueue(deleteBlobs, { keys }, newId('blobs'));
  } catch (error) {
    context.log.warn('discarded blobs await the sweep', { keys, fault: errorText(error) });
  }
}
