/**
 * An S3-compatible server for tests. The two implementations differ: s3rver accepts any signature;
 * its fork checks signatures, but cannot list objects, serve a bucket by its host name, or accept a
 * link with a non-ASCII file name.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../../../core/config/s3.ts';
import { freePort } from './free-port.ts';
import { makeTempDir } from '../context/temp-dir.ts';

export interface TestS3 {
  readonly config: S3Config;
  /** The same as environment variables. */
  readonly env: Record<string, string>;
  /** The configuration of another, empty bucket. */
  readonly newBucket: () => Promise<S3Config>;
  /** Ends it with SIGKILL; its objects remain. */
  readonly kill: () => Promise<void>;
  /** Starts it again. */
  readonly start: () => Promise<void>;
  /** Ends it and removes its objects. */
  readonly remove: () => Promise<void>;
}

const ENTRY = fileURLToPath(new URL('./s3-process.ts', import.meta.url));
const KEY = 'S3RVER'; // the account that both accept
const BUCKET = 'mayfly-test';

/** Starts a server with one bucket at `host`, which must resolve to this machine. */
export async function startS3(
  kind: 's3rver' | '@20minutes/s3rver' = 's3rver',
  { host = '127.0.0.1', forcePathStyle = true } = {},
): Promise<TestS3> {
  const dir = await makeTempDir();
  const port = await freePort();
  const options = {
    ...{ kind, port, directory: dir.path, bucket: BUCKET },
    serviceEndpoint: host.replace(/^s3\./, ''),
  };
  let child: ChildProcess;
  const start = async () => {
    // s3rver encrypts its list tokens with a legacy cipher of OpenSSL 3.
    child = fork(ENTRY, [JSON.stringify(options)], { execArgv: ['--openssl-legacy-provider'] });
    await once(child, 'message');
    // The server must not keep a test run alive whose clean-up failed.
    child.unref();
    child.channel?.unref();
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  await start();

  const endpoint = `http://${host}:${port}`;
  const credentials = { accessKeyId: KEY, secretAccessKey: KEY };
  const config = { bucket: BUCKET, endpoint, region: 'us-east-1', forcePathStyle, credentials };
  let buckets = 0;
  return {
    config,
    env: {
      S3_BUCKET: BUCKET,
      S3_ENDPOINT: endpoint,
      S3_FORCE_PATH_STYLE: String(forcePathStyle),
      AWS_ACCESS_KEY_ID: KEY,
      AWS_SECRET_ACCESS_KEY: KEY,
    },
    newBucket: async () => {
      const bucket = `bucket-${(buckets += 1)}`;
      const client = new S3Client(config);
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
      client.destroy();
      return { ...config, bucket };
    },
    kill,
    start,
    remove: async () => {
      await kill();
      await dir.remove();
    },
  };
}
