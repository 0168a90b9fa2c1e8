/**
 * Checks AWS Signature Version 4 of a request to S3, in the `Authorization` header or in the query
 * of a presigned URL, as its specification describes:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const MINUTE_MS = 60_000;
const MAX_SKEW_MS = 15 * MINUTE_MS;
const MAX_EXPIRES_S = 7 * 24 * 3600;

/** The account of a server, and the region that it stands for. */
export interface S3Account {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

export interface SignedRequest {
  method: string;
  /** Path and query as sent. */
  target: string;
  headers: IncomingHttpHeaders;
}

/** A refusal with the status and the code of S3. */
export class S3Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message = code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface Claimed {
  credential: string;
  signedHeaders: string[];
  signature: string;
  /** `20130524T000000Z` */
  date: string;
  payload: string;
}

/**
 * Returns what the request says of its body: a SHA-256 in hexadecimal, or a word such as
 * `UNSIGNED-PAYLOAD`. The caller compares it with the body.
 * @param now in ms
 * @throws {S3Refusal} for a request without a valid signature
 */
export function checkSignature(request: SignedRequest, account: S3Account, now: number): string {
  const [path = '', search = ''] = request.target.split(/\?(.*)/s);
  const query = search.split('&').filter(Boolean).map(decodedPair);
  const asked = new Map(query);
  const { authorization } = request.headers;
  if (authorization !== undefined && asked.has('X-Amz-Signature')) {
    throw new S3Refusal(400, 'InvalidArgument', 'Only one way to authenticate is allowed');
  }
  const claimed = asked.has('X-Amz-Signature')
    ? ofQuery(asked, now)
    : ofHeader(authorization, request.headers, now);

  const [keyId, day, region, service, end, ...more] = claimed.credential.split('/');
  const scope = [day, region, service, end].join('/');
  if (keyId !== account.accessKeyId) throw new S3Refusal(403, 'InvalidAccessKeyId');
  const expectedScope = `${claimed.date.slice(0, 8)}/${account.region}/s3/aws4_request`;
  if (more.length > 0 || scope !== expectedScope) {
    throw new S3Refusal(400, 'AuthorizationHeaderMalformed', `The scope is ${expectedScope}`);
  }
  const { signedHeaders } = claimed;
  const unsigned = Object.keys(request.headers).filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signedHeaders.includes(name),
  );
  if (unsigned.length > 0) {
    throw new S3Refusal(403, 'AccessDenied', `Headers are not signed: ${unsigned.join(', ')}`);
  }

  const canonical = [
    request.method,
    path.split('/').map(reencoded).join('/'),
    query
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value]) => [encoded(name), encoded(value)] as const)
      .sort(([a, x], [b, y]) => ordered(a, b) || ordered(x, y))
      .map((pair) => pair.join('='))
      .join('&'),
    ...signedHeaders.map((name) => `${name}:${canonicalValue(request.headers[name])}`),
    '',
    signedHeaders.join(';'),
    claimed.payload,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', claimed.date, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, end].reduce<string | Buffer>(
    (secret, part = '') => createHmac('sha256', secret).update(part).digest(),
    `AWS4${account.secretAccessKey}`,
  );
  const expected = createHmac('sha256', key).update(text).digest();
  const given = Buffer.from(claimed.signature, 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new S3Refusal(403, 'SignatureDoesNotMatch');
  }
  return claimed.payload;
}

function ofHeader(
  authorization: string | undefined,
  headers: IncomingHttpHeaders,
  now: number,
): Claimed {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/.exec(
      authorization ?? '',
    );
  if (!match) throw new S3Refusal(403, 'AccessDenied', 'The request is not signed');
  const [, credential = '', names = '', signature = ''] = match;
  const payload = text(headers['x-amz-content-sha256']);
  if (payload === '') throw new S3Refusal(400, 'InvalidRequest', 'x-amz-content-sha256 is missing');
  const date = text(headers['x-amz-date']);
  const distance = Math.abs(timeOf(date) - now);
  if (!(distance <= MAX_SKEW_MS)) throw new S3Refusal(403, 'RequestTimeTooSkewed');
  return { credential, signedHeaders: names.split(';'), signature, date, payload };
}

function ofQuery(asked: ReadonlyMap<string, string>, now: number): Claimed {
  const of = (name: string) => asked.get(`X-Amz-${name}`) ?? '';
  const seconds = Number(of('Expires'));
  const date = of('Date');
  const start = timeOf(date);
  const valid =
    of('Algorithm') === 'AWS4-HMAC-SHA256' &&
    Number.isInteger(seconds) &&
    seconds >= 1 &&
    seconds <= MAX_EXPIRES_S &&
    !Number.isNaN(start);
  if (!valid) throw new S3Refusal(400, 'AuthorizationQueryParametersError');
  if (start - now > MAX_SKEW_MS) {
    throw new S3Refusal(403, 'AccessDenied', 'Request is not yet valid');
  }
  if (now > start + seconds * 1000) throw new S3Refusal(403, 'AccessDenied', 'Request has expired');
  return {
    credential: of('Credential'),
    signedHeaders: of('SignedHeaders').split(';'),
    signature: of('Signature'),
    date,
    payload: 'UNSIGNED-PAYLOAD',
  };
}

/** The time of `20130524T000000Z` in ms; NaN for another text. */
function timeOf(date: string): number {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date);
  if (!match) return Number.NaN;
  const [, year, month, day, hour, minute, second] = match;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function text(header: string | string[] | undefined): string {
  return [header ?? ''].flat().join(',');
}

function canonicalValue(header: string | string[] | undefined): string {
  return text(header).trim().replace(/ +/g, ' ');
}

function decodedPair(pair: string): [string, string] {
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  return [decoded(name), decoded(value)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new S3Refusal(400, 'InvalidURI');
  }
}

function reencoded(part: string): string {
  return encoded(decoded(part));
}

/** By code units, unlike `localeCompare`. */
function ordered(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Encodes all but the unreserved characters of RFC 3986, section 2.3. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
