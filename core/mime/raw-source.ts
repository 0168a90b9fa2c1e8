import type { BlobFile } from '../blobs/blob-store.ts';

/** The bytes of a mail, or the file with them. */
export type RawSource = Buffer | BlobFile;
