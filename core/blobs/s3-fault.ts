/** The faults of an S3 store, in words for the operator. */
import { S3ServiceException } from '@aws-sdk/client-s3';
import type { S3Config } from '../config/s3.ts';
import { BlobStoreFault } from './blob-store.ts';

/** Statuses of the 4xx range that can change without a change of settings. */
const TEMPORARY = new Set([408, 429]);

type Store = Pick<S3Config, 'bucket' | 'endpoint' | 'region'>;

/**
 * Describes an error of the SDK with status, S3 code, bucket, endpoint and, if the bucket is in
 * another region, that region. It has none of the credentials.
 */
export function s3Fault(error: unknown, { bucket, endpoint, region }: Store): BlobStoreFault {
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
