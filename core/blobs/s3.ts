/**
 * Blobs as objects in a bucket of S3 or a compatible server. Checksums are sent only where S3
 * requires them, because other servers store the default trailers of the SDK as part of the
 * content. The size of the stored object is verified instead.
 */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Readable } from 'node:stream';
import { type BlobStore, KEYS_A_PAGE, blobStoreAway } from './blob-store.ts';
import type { S3Config } from '../config/s3.ts';

/**
 * Timeouts for a store that hangs. The idle timeout also ends a download whose client has stopped
 * reading.
 */
const REQUEST_HANDLER: S3ClientConfig['requestHandler'] = {
  connectionTimeout: 2000,
  requestTimeout: 15_000,
  throwOnRequestTimeout: true,
  socketTimeout: 60_000,
  httpAgent: { maxSockets: 256 },
  httpsAgent: { maxSockets: 256 },
};

/** Opens a store in the configured bucket, which must exist. */
export function openS3Blobs(config: S3Config, pageSize = KEYS_A_PAGE): BlobStore {
  const client = openClient(config);
  const inBucket = (key: string) => ({ Bucket: config.bucket, Key: key });

  return {
    async put(key, bytes) {
      // A single buffer: the SDK can sign and retry it, unlike a stream.
      const body = bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes);
      await orAway(client.send(new PutObjectCommand({ ...inBucket(key), Body: body })));
      const stored = await orAway(client.send(new HeadObjectCommand(inBucket(key))));
      if (stored.ContentLength !== body.length) {
        throw blobStoreAway(
          new Error(`${key}: ${stored.ContentLength ?? 0} of ${body.length} bytes stored`),
        );
      }
    },
    async get(key) {
      try {
        const object = await client.send(new GetObjectCommand(inBucket(key)));
        return { size: object.ContentLength ?? 0, stream: object.Body as Readable };
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw blobStoreAway(error);
      }
    },
    async delete(key) {
      await orAway(client.send(new DeleteObjectCommand(inBucket(key))));
    },
    async *olderThan(folder, time) {
      const query = { Bucket: config.bucket, Prefix: `${folder}/`, MaxKeys: pageSize };
      try {
        for await (const { Contents = [] } of paginateListObjectsV2({ client }, query)) {
          const keys = Contents.flatMap(({ Key, LastModified }) =>
            Key !== undefined && LastModified && LastModified.getTime() < time ? [Key] : [],
          );
          if (keys.length > 0) yield keys;
        }
      } catch (error) {
        throw blobStoreAway(error);
      }
    },
    link: (key, headers, seconds) =>
      orAway(
        getSignedUrl(
          client,
          new GetObjectCommand({
            ...inBucket(key),
            ResponseContentType: headers.contentType,
            ResponseContentDisposition: headers.contentDisposition,
          }),
          { expiresIn: seconds },
        ),
      ),
    file: null,
    room: async () => Infinity,
    async check() {
      await orAway(client.send(new HeadBucketCommand({ Bucket: config.bucket })));
    },
    async close() {
      client.destroy();
    },
  };
}

function openClient({ endpoint, region, forcePathStyle, credentials }: S3Config): S3Client {
  // Suppresses a notice of the SDK on Node 20, which would appear between the JSON log lines.
  // oxlint-disable-next-line no-restricted-properties
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === null ? {} : { credentials }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: REQUEST_HANDLER,
  });
}

async function orAway<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer;
  } catch (error) {
    throw blobStoreAway(error);
  }
}
