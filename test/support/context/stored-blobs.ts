import { blobFolders } from '../../../core/blobs/keys.ts';
import type { Context } from '../../../core/context.ts';

/** The keys of all stored blobs. */
export async function storedBlobs({ blobs }: Pick<Context, 'blobs'>): Promise<string[]> {
  const keys: string[] = [];
  for (const folder of blobFolders) {
    for await (const page of blobs.olderThan(folder, Infinity)) keys.push(...page);
  }
  return keys;
}
