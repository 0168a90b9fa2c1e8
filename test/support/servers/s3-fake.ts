/**
 * A fake of S3 that checks signatures, with buckets in the path or in the host name. As in S3, an
 * object is either absent or complete, and keys are listed in their order.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { contentOf } from './s3-body.ts';
import { type S3Account, S3Refusal, checkSignature } from './s3-signature.ts';

interface StoredObject {
  path: string;
  size: number;
  modified: Date;
}

type Bucket = Map<string, StoredObject>;

interface Asked {
  method: string;
  /** Absent for a request to a bucket. */
  key: string;
  query: URLSearchParams;
  content: AsyncIterable<Buffer>;
}

export interface FakeS3Options {
  /** For the contents of objects. */
  folder: string;
  /** Below which each bucket has a host name. */
  host: string;
  bucketNames: string[];
  account: S3Account;
  /** In ms; the signatures of requests and links end by it. */
  now: () => number;
}

/** Returns the listener of an HTTP server. */
export function fakeS3(options: FakeS3Options): RequestListener {
  const { folder, host, account, now } = options;
  const buckets = new Map<string, Bucket>(options.bucketNames.map((name) => [name, new Map()]));

  const onBucket = (res: ServerResponse, name: string, { method, query }: Asked) => {
    const bucket = buckets.get(name);
    if (method === 'PUT') buckets.set(name, bucket ?? new Map<string, StoredObject>());
    else if (!bucket) throw new S3Refusal(404, 'NoSuchBucket');
    res.end(bucket && method === 'GET' ? listing(bucket, query) : '');
  };

  const onObject = async (res: ServerResponse, bucket: Bucket, asked: Asked) => {
    const { method, key, query } = asked;
    const object = bucket.get(key);
    if (method === 'PUT') {
      const path = join(folder, randomUUID());
      const file = createWriteStream(path);
      await pipeline(asked.content, file);
      bucket.set(key, { path, size: file.bytesWritten, modified: new Date() });
      res.end();
    } else if (method === 'DELETE') {
      bucket.delete(key);
      res.writeHead(204).end();
    } else if (!object) {
      throw new S3Refusal(404, 'NoSuchKey');
    } else {
      const disposition = query.get('response-content-disposition');
      res.writeHead(200, {
        'Content-Length': object.size,
        'Content-Type': query.get('response-content-type') ?? 'binary/octet-stream',
        ...(disposition === null ? {} : { 'Content-Disposition': latin1(disposition) }),
      });
      if (method === 'HEAD') res.end();
      else await pipeline(createReadStream(object.path), res);
    }
  };

  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    const { method = '', url: target = '', headers } = req;
    const payload = checkSignature({ method, target, headers }, account, now());
    const [, path = '', search = ''] = /^\/([^?]*)\??(.*)$/s.exec(target) ?? [];
    const [authority = ''] = (headers.host ?? '').split(':');
    let name = authority.slice(0, -host.length - 1);
    let key = path;
    if (authority === host) [name = '', key = ''] = path.split(/\/(.*)/s);
    const asked = {
      method,
      key: decodeURIComponent(key),
      query: new URLSearchParams(search),
      content: contentOf(req, headers, payload),
    };
    const bucket = buckets.get(name);
    if (key === '') onBucket(res, name, asked);
    else if (!bucket) throw new S3Refusal(404, 'NoSuchBucket');
    else await onObject(res, bucket, asked);
  };

  return (req, res) => {
    answer(req, res).catch((error: unknown) => {
      if (!(error instanceof S3Refusal) || res.headersSent) return res.destroy();
      const { status, code, message } = error;
      const xml = `<Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error>`;
      return res.writeHead(status).end(req.method === 'HEAD' ? '' : xml);
    });
  };
}

/** A page of ListObjectsV2. */
function listing(bucket: Bucket, asked: URLSearchParams): string {
  if (asked.get('list-type') !== '2') throw new S3Refusal(501, 'NotImplemented');
  const token = asked.get('continuation-token');
  const after = token === null ? '' : Buffer.from(token, 'base64url').toString();
  const most = Math.min(Number(asked.get('max-keys') ?? 1000), 1000);
  const keys = [...bucket.keys()]
    .filter((key) => key.startsWith(asked.get('prefix') ?? '') && key > after)
    .sort();
  const page = keys.slice(0, most);
  const contents = page.map((key) => {
    const { size, modified } = bucket.get(key)!;
    return (
      `<Contents><Key>${escaped(key)}</Key><Size>${size}</Size>` +
      `<LastModified>${modified.toISOString()}</LastModified></Contents>`
    );
  });
  const next = Buffer.from(page.at(-1) ?? '').toString('base64url');
  const rest =
    keys.length > most
      ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`
      : '<IsTruncated>false</IsTruncated>';
  return `<ListBucketResult>${contents.join('')}${rest}</ListBucketResult>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** A header value as its bytes in UTF-8, as S3 sends it. */
function latin1(value: string): string {
  return Buffer.from(value).toString('latin1');
}
