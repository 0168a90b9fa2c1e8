/**
 * A fake of S3 without signatures, with buckets in the path or in the host name. As in S3, an
 * object is either absent or complete, and keys are listed in their order.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

interface StoredObject {
  path: string;
  size: number;
  modified: Date;
}

type Bucket = Map<string, StoredObject>;

/**
 * @param folder for the contents of objects
 * @param host below which each bucket has a host name
 */
export function fakeS3(folder: string, host: string, bucketNames: string[]): RequestListener {
  const buckets = new Map<string, Bucket>(bucketNames.map((name) => [name, new Map()]));

  const onBucket = ({ method }: IncomingMessage, res: ServerResponse, name: string, url: URL) => {
    const bucket = buckets.get(name);
    if (method === 'PUT') buckets.set(name, bucket ?? new Map<string, StoredObject>());
    if (method !== 'PUT' && !bucket) fail(res, 'NoSuchBucket');
    else res.end(bucket && method === 'GET' ? listing(bucket, url.searchParams) : '');
  };

  const onObject = async (req: IncomingMessage, res: ServerResponse, bucket: Bucket, url: URL) => {
    const key = decodeURIComponent(url.pathname.slice(1));
    const object = bucket.get(key);
    if (req.method === 'PUT') {
      const path = join(folder, randomUUID());
      const file = createWriteStream(path);
      await pipeline(req, file);
      bucket.set(key, { path, size: file.bytesWritten, modified: new Date() });
      res.end();
    } else if (req.method === 'DELETE') {
      bucket.delete(key);
      res.writeHead(204).end();
    } else if (!object) {
      fail(res, 'NoSuchKey');
    } else {
      const asked = (name: string) => url.searchParams.get(`response-content-${name}`);
      const disposition = asked('disposition');
      res.writeHead(200, {
        'Content-Length': object.size,
        'Content-Type': asked('type') ?? 'binary/octet-stream',
        ...(disposition === null ? {} : { 'Content-Disposition': disposition }),
      });
      if (req.method === 'HEAD') res.end();
      else await pipeline(createReadStream(object.path), res);
    }
  };

  return (req, res) => {
    const url = new URL(req.url ?? '', 'http://s3.test');
    const [authority = ''] = (req.headers.host ?? '').split(':');
    let name = authority.slice(0, -host.length - 1);
    if (authority === host) {
      name = url.pathname.split('/')[1] ?? '';
      url.pathname = url.pathname.slice(name.length + 1);
    }
    const bucket = buckets.get(name);
    if (url.pathname === '/') onBucket(req, res, name, url);
    else if (!bucket) fail(res, 'NoSuchBucket');
    else onObject(req, res, bucket, url).catch(() => res.destroy());
  };
}

function listing(bucket: Bucket, asked: URLSearchParams): string {
  const after = asked.get('continuation-token') ?? '';
  const most = Number(asked.get('max-keys') ?? 1000);
  const keys = [...bucket.keys()]
    .filter((key) => key.startsWith(asked.get('prefix') ?? '') && key > after)
    .sort();
  const page = keys.slice(0, most);
  const contents = page.map(
    (key) =>
      `<Contents><Key>${key}</Key><Size>${bucket.get(key)!.size}</Size>` +
      `<LastModified>${bucket.get(key)!.modified.toISOString()}</LastModified></Contents>`,
  );
  const rest =
    keys.length > most
      ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${page.at(-1) ?? ''}</NextContinuationToken>`
      : '<IsTruncated>false</IsTruncated>';
  return `<ListBucketResult>${contents.join('')}${rest}</ListBucketResult>`;
}

function fail(res: ServerResponse, code: 'NoSuchBucket' | 'NoSuchKey'): void {
  res.writeHead(404).end(`<Error><Code>${code}</Code></Error>`);
}
