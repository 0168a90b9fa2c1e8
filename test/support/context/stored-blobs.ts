import { blobFolders } from '../../../core/blobs/keys.ts';
import type { Context } from '../../../core/context.ts';

/**
 * The keys of the blobs of mail. Drafts are not among them: one stays until the sweep if a busy
 * machine reads a mail again after its time limit.
 */
export async function storedBlobs({ blobs }: Pick<Context, 'blobs'>): Promise<string[]> {
  const keys: string[] = [];
  for (const folder of blobFolders.filter((each) => each !== 'drafts')) {
    for await (const page of blobs.olderThan(folder, Infinity)) keys.push(...page);
  }
  return keys;
}
