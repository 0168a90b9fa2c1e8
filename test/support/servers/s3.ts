/** An S3-compatible server for tests. It checks signatures, and can fail as real ones do. */
import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../../../core/config/s3.ts';
import { freePort } from './free-port.ts';
import { makeTempDir } from '../context/temp-dir.ts';
import { fakeS3 } from './s3-fake.ts';

export interface TestS3 {
  readonly config: S3Config;
  /** The same as environment variables. */
  readonly env: Record<string, string>;
  /** The configuration of another, empty bucket. */
  readonly newBucket: () => Promise<S3Config>;
  /** Answers requests with `how` until `during` resolves, then resets those without an answer. */
  readonly misbehave: (
    how: (serve: RequestListener) => RequestListener,
    during: () => Promise<unknown>,
  ) => Promise<void>;
  /** Resets all connections and refuses new ones; its objects remain. */
  readonly kill: () => Promise<void>;
  /** Starts it again. */
  readonly start: () => Promise<void>;
  /** Ends it and removes its objects. */
  readonly remove: () => Promise<void>;
}

const REGION = 'us-east-1';
const ACCESS_KEY_ID = 'TESTKEY';
const BUCKET = 'mayfly-test';

/**
 * Starts a server with one bucket at `host`, which must resolve to this machine. `now`, in ms, is
 * its clock for signatures.
 */
export async function startS3({
  host = '127.0.0.1',
  forcePathStyle = true,
  now = () => Date.now(),
  secretAccessKey = 'test/secret+of-the-test-bucket',
} = {}): Promise<TestS3> {
  const credentials = { accessKeyId: ACCESS_KEY_ID, secretAccessKey };
  const dir = await makeTempDir();
  const port = await freePort();
  const usual = fakeS3({
    folder: dir.path,
    host,
    bucketNames: [BUCKET],
    account: { ...credentials, region: REGION },
    now,
  });
  let serve = usual;
  let server: Server | null = null;
  const start = async () => {
    server = createServer((req, res) => {
      serve(req, res);
    });
    // It ignores `Expect: 100-continue`, as some stores and proxies do.
    server.on('checkContinue', (req, res) => {
      serve(req, res);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.unref(); // it must not keep a test run alive whose clean-up failed
  };
  const kill = async () => {
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    server = null;
    await closed;
  };
  await start();

  const endpoint = `http://${host}:${port}`;
  const config = {
    bucket: BUCKET,
    endpoint,
    region: REGION,
    forcePathStyle,
    credentials,
  };
  let buckets = 0;
  return {
    config,
    env: {
      S3_BUCKET: BUCKET,
      S3_ENDPOINT: endpoint,
      S3_FORCE_PATH_STYLE: String(forcePathStyle),
      AWS_ACCESS_KEY_ID: ACCESS_KEY_ID,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    newBucket: async () => {
      const bucket = `bucket-${(buckets += 1)}`;
      const client = new S3Client(config);
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
      client.destroy();
      return { ...config, bucket };
    },
    misbehave: async (how, during) => {
      serve = how(usual);
      try {
        await during();
      } finally {
        serve = usual;
        server?.closeAllConnections();
      }
    },
    kill,
    start,
    remove: async () => {
      await kill();
      await dir.remove();
    },
  };
}
