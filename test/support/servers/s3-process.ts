/** The process of an S3-compatible test server; see s3.ts. */
import { rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type S3Server from 's3rver';

const servers = {
  s3rver: () => import('s3rver'),
  '@20minutes/s3rver': () => import('@20minutes/s3rver'),
};

const WRITTEN_WITHIN_MS = 10_000;

interface Options {
  kind: keyof typeof servers;
  port: number;
  directory: string;
  serviceEndpoint: string;
  bucket: string;
}

const { kind, bucket, ...options } = JSON.parse(process.argv[2] ?? '') as Options;
const { default: S3rver } = await servers[kind]();
const server = new S3rver({
  ...options,
  address: '127.0.0.1',
  silent: true,
  configureBuckets: [{ name: bucket }],
});
if (kind === 's3rver') answerOnceWritten(server.store);
await server.run();
process.send?.('ready');
process.on('disconnect', () => process.exit());

/**
 * s3rver answers a PUT before the file is complete, so a HEAD right after it can return the size of
 * the previous object. The previous file is removed first, because it can have the same size.
 */
function answerOnceWritten(store: S3Server['store']): void {
  const put = store.putObject.bind(store);
  store.putObject = async (object) => {
    const path = store.getResourcePath(object.bucket, object.key, 'object');
    await rm(path, { force: true });
    const result = await put(object);
    const giveUpAt = performance.now() + WRITTEN_WITHIN_MS;
    while ((await sizeOf(path)) !== result.size) {
      if (performance.now() > giveUpAt) throw new Error(`${path}: not ${result.size} bytes`);
      await delay(1);
    }
    return result;
  };
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}
