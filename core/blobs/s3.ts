/**
 * Blobs as objects in a bucket of S3 or a compatible server. Checksums are sent only where S3
 * requires them, because other servers store the default trailers of the SDK as part of the
 * content. The size of the stored object is verified instead.
 */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  paginateListObjectsV2,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import { type BlobStore, KEYS_A_PAGE, blobStoreUnavailable, BlobStoreFault } from './blob-store.ts';
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
  const away = (error: unknown) => blobStoreUnavailable(s3Fault(error, config));
  const orAway = <Value>(answer: Promise<Value>) =>
    answer.catch((error: unknown) => {
      throw away(error);
    });
  /** The size of an object, for a response without a length; undefined if it is not listed. */
  const listedSize = async (key: string) => {
    const query = { Bucket: config.bucket, Prefix: key, MaxKeys: 1 };
    const { Contents = [] } = await orAway(client.send(new ListObjectsV2Command(query)));
    return Contents.find(({ Key }) => Key === key)?.Size;
  };
  const inBucket = (key: string) => ({ Bucket: config.bucket, Key: key });

  return {
    async put(key, bytes) {
      // A single buffer: the SDK can sign and retry it, unlike a stream.
      const body = bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes);
      await orAway(client.send(new PutObjectCommand({ ...inBucket(key), Body: body })));
      const head = await orAway(client.send(new HeadObjectCommand(inBucket(key))));
      const stored = head.ContentLength ?? (await listedSize(key));
      if (stored !== body.length) {
        const found = stored === undefined ? 'an unknown number' : `${stored}`;
        throw away(new Error(`${found} of ${body.length} bytes of ${key} stored`));
      }
    },
    async get(key) {
      try {
        const object = await client.send(new GetObjectCommand(inBucket(key)));
        const size = object.ContentLength ?? (await listedSize(key)) ?? 0;
        return { size, stream: object.Body as Readable };
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error instanceof AppError ? error : away(error);
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
        throw away(error);
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
      // Unlike the response to HEAD, that of a list has a body with the code of the error.
      const query = { Bucket: config.bucket, MaxKeys: 1 };
      await orAway(client.send(new ListObjectsV2Command(query)));
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
    // A store or proxy that ignores the header would wait for the body as long as the client for
    // it.
    expectContinueHeader: false,
    maxAttempts: 2,
    requestHandler: REQUEST_HANDLER,
  });
}

/** Statuses of the 4xx range that can change without a change of settings. */
const TEMPORARY = new Set([408, 429]);

type Store = Pick<S3Config, 'bucket' | 'endpoint' | 'region'>;

/**
 * Describes an error of the SDK with status, S3 code, bucket, endpoint and, if the bucket is in
 * another region, that region. It has none of the credentials.
 */
function s3Fault(error: unknown, { bucket, endpoint, region }: Store): BlobStoreFault {
  const place = `bucket ${bucket}, endpoint ${endpoint ?? 'of Amazon S3'}, region ${region}`;
  const text = error instanceof Error ? error.message : String(error);
  const status = statusOf(error);
  if (status === null) {
    return new BlobStoreFault(`S3 does not answer: ${text} (${place})`, false, { cause: error });
  }
  const code = error instanceof S3ServiceException ? `${error.name}: ${text}` : text;
  const other = regionOf(error);
  const advice =
    other === null || other === region ? '' : `. The bucket is in ${other}: set S3_REGION`;
  return new BlobStoreFault(
    `S3 answered ${status} ${code} (${place})${advice}`,
    status >= 300 && status < 500 && !TEMPORARY.has(status),
    { cause: error },
  );
}

/** What the SDK adds to the errors of a response, also of one that it cannot read. */
interface OfResponse {
  $metadata?: { httpStatusCode?: number };
  $response?: { statusCode?: number; headers?: Record<string, string> };
  /** From the body of a redirection. */
  Region?: unknown;
}

function ofResponse(error: unknown): OfResponse {
  return error instanceof Error ? (error as OfResponse) : {};
}

function statusOf(error: unknown): number | null {
  const { $metadata, $response } = ofResponse(error);
  return $metadata?.httpStatusCode ?? $response?.statusCode ?? null;
}

function regionOf(error: unknown): string | null {
  const { $response, Region } = ofResponse(error);
  const region = $response?.headers?.['x-amz-bucket-region'] ?? Region;
  return typeof region === 'string' ? region : null;
}
