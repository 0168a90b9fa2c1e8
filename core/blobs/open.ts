import { join } from 'node:path';
import type { BlobStore } from './blob-store.ts';
import { openDiskBlobs } from './disk.ts';
import type { Config } from '../config/config.ts';

/** Opens the configured blob store: an S3 bucket, or a folder of the data directory. */
export async function openBlobs(config: Pick<Config, 'dataDir' | 's3'>): Promise<BlobStore> {
  if (config.s3 === null) return openDiskBlobs(join(config.dataDir, 'blobs'));
  // Loaded on demand: the AWS SDK costs start time and memory.
  const { openS3Blobs } = await import('./s3.ts');
  return openS3Blobs(config.s3);
}
