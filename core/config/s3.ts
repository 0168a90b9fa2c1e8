/** S3 configuration. */
import * as z from 'zod';
import { flag, httpUrl } from './values.ts';

export interface S3Config {
  readonly bucket: string;
  /** Null for Amazon S3, whose endpoint depends on the region. */
  readonly endpoint: string | null;
  readonly region: string;
  /** `ENDPOINT/BUCKET/KEY` instead of `BUCKET.ENDPOINT/KEY`. */
  readonly forcePathStyle: boolean;
  /** Null if the SDK finds them: shared files, or the role of the machine or container. */
  readonly credentials: Readonly<{
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken?: string;
  }> | null;
}

export const s3Variables = {
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be a bucket name')
    .optional()
    .meta({
      description: 'Bucket for mail and attachments above 1 MiB.',
      accepts: 'bucket name',
      fallback: 'files in `DATA_DIR`',
    }),
  S3_ENDPOINT: httpUrl().optional().meta({
    description:
      'URL of an S3-compatible server. Clients must reach it too, because downloads redirect to it.',
    fallback: 'Amazon S3',
  }),
  S3_REGION: z.string().optional().meta({
    description: 'Region of the bucket.',
    fallback: '`AWS_REGION`, or `us-east-1` with `S3_ENDPOINT`',
  }),
  S3_FORCE_PATH_STYLE: flag().optional().meta({
    description: 'Addresses objects as `ENDPOINT/BUCKET/KEY` instead of `BUCKET.ENDPOINT/KEY`.',
    fallback: '`true` with `S3_ENDPOINT`, else `false`',
  }),
  AWS_REGION: z
    .string()
    .optional()
    .meta({ description: 'Region of the bucket if `S3_REGION` is unset.' }),
  AWS_ACCESS_KEY_ID: z
    .string()
    .optional()
    .meta({ description: 'Access key of the bucket.', fallback: 'found by the AWS SDK' }),
  AWS_SECRET_ACCESS_KEY: z
    .string()
    .optional()
    .meta({ description: 'Secret of `AWS_ACCESS_KEY_ID`.', fallback: 'found by the AWS SDK' }),
  AWS_SESSION_TOKEN: z
    .string()
    .optional()
    .meta({ description: 'Session token of temporary credentials.' }),
};

type S3Environment = z.infer<z.ZodObject<typeof s3Variables>>;

/** Inconsistent settings. The AWS variables are ignored if blobs are stored on disk. */
export function s3Faults(e: S3Environment): string[] {
  if (e.S3_BUCKET === undefined) {
    return (['S3_ENDPOINT', 'S3_REGION', 'S3_FORCE_PATH_STYLE'] as const)
      .filter((name) => e[name] !== undefined)
      .map((name) => `${name} is set, but S3_BUCKET is not`);
  }
  const faults: string[] = [];
  if (e.S3_ENDPOINT === undefined && (e.S3_REGION ?? e.AWS_REGION) === undefined) {
    faults.push('S3_BUCKET requires S3_REGION, or S3_ENDPOINT for a server other than Amazon S3');
  }
  if (e.S3_ENDPOINT !== undefined && new URL(e.S3_ENDPOINT).pathname === `/${e.S3_BUCKET}`) {
    faults.push('S3_ENDPOINT ends in the name of the bucket: leave its path out');
  }
  if (Boolean(e.AWS_ACCESS_KEY_ID) !== Boolean(e.AWS_SECRET_ACCESS_KEY)) {
    faults.push('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together');
  }
  return faults;
}

/**
 * Null if blobs are stored on disk. With S3_ENDPOINT the path style is used, because other servers
 * rarely have a host name per bucket.
 */
export function s3Config(e: S3Environment): S3Config | null {
  if (e.S3_BUCKET === undefined) return null;
  return {
    bucket: e.S3_BUCKET,
    endpoint: e.S3_ENDPOINT ?? null,
    region: e.S3_REGION ?? e.AWS_REGION ?? 'us-east-1',
    forcePathStyle: e.S3_FORCE_PATH_STYLE ?? e.S3_ENDPOINT !== undefined,
    credentials:
      e.AWS_ACCESS_KEY_ID && e.AWS_SECRET_ACCESS_KEY
        ? {
            accessKeyId: e.AWS_ACCESS_KEY_ID,
            secretAccessKey: e.AWS_SECRET_ACCESS_KEY,
            ...(e.AWS_SESSION_TOKEN ? { sessionToken: e.AWS_SESSION_TOKEN } : {}),
          }
        : null,
  };
}
