import { join } from 'node:path';
import type { BlobStore } from './blob-store.js';
import { openDiskBlobs } from './disk.js';
import type { Config } from '../config/config.js';

/** The blob store that the configuration names: a bucket, or else a folder of the data directory. */
export async function openBlobs(config: Pick<Config, 'dataDir' | 's3'>): Promise<BlobStore> {
  if (config.s3 === null) return openDiskBlobs(join(config.dataDir, 'blobs'));
  // Imported only here: those who store on disk need not wait for the AWS SDK, nor keep it in memory.
  const { openS3Blobs } = await import('./s3.js');
  return openS3Blobs(config.s3);
}
