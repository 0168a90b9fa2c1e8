/** The process of an S3-compatible test server; see s3.ts. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type S3Server from 's3rver';

const servers = {
  s3rver: () => import('s3rver'),
  '@20minutes/s3rver': () => import('@20minutes/s3rver'),
};

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
if (kind === 's3rver') writeAtomically(server.store);
await server.run();
process.send?.('ready');
process.on('disconnect', () => process.exit());

/**
 * s3rver answers a PUT before the file is complete, and a GET of it returns what is already there.
 * In S3 an object is either absent or complete.
 */
function writeAtomically(store: S3Server['store']): void {
  store.putObject = async ({ bucket, key, content, metadata }) => {
    const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
    const md5 = createHash('md5').update(bytes).digest('hex');
    const path = store.getResourcePath(bucket, key, 'object');
    const incomplete = `${path}.${randomUUID()}`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(incomplete, bytes);
    await store.putMetadata(bucket, key, metadata, md5);
    await rename(incomplete, path);
    return { size: bytes.length, md5 };
  };
}
