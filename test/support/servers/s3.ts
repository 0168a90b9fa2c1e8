/**
 * An S3-compatible server for tests: a fake that accepts any signature, or an implementation that
 * checks signatures, but cannot list objects, serve a bucket by its host name, or accept a link
 * with a non-ASCII file name.
 */
import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import S3rver from '@20minutes/s3rver';
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

const KEY = 'S3RVER'; // the account that the implementation accepts
const BUCKET = 'mayfly-test';

/** Starts a server with one bucket at `host`, which must resolve to this machine. */
export async function startS3({
  host = '127.0.0.1',
  forcePathStyle = true,
  checksSignatures = false,
} = {}): Promise<TestS3> {
  const dir = await makeTempDir();
  const port = await freePort();
  const usual = checksSignatures ? await s3rver(dir.path) : fakeS3(dir.path, host, [BUCKET]);
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

async function s3rver(directory: string): Promise<RequestListener> {
  const server = new S3rver({ silent: true, directory, configureBuckets: [{ name: BUCKET }] });
  await server.configureBuckets();
  return server.callback();
}
