/** Requests for an operation of the contract: valid ones, and every kind of invalid ones. */
import fc, { type Arbitrary } from 'fast-check';
import type { Header, RawRequest } from '../clients/raw-http.ts';
import { type Operation, type Parameter, type Schema, follow } from './operations.ts';
import { oddHeader, oddSegment, oddString, oddValue } from './odd-values.ts';
import { BEARERS } from './world.ts';

/** Made once: fast-check prepares the values that shrink a string for each `fc.string()`. */
const anyString = fc.string();
const number = fc.nat({ max: 7 });
const thing = (kind: string, field: string) => number.map((n) => `<<${kind}.${n}.${field}>>`);

/** `usually` most of the time, `seldom` else. */
const mostly = <T>(usually: Arbitrary<T>, seldom: Arbitrary<T>) =>
  fc.oneof({ weight: 7, arbitrary: usually }, { weight: 1, arbitrary: seldom });

const field = (name: string, values: Arbitrary<string>): Arbitrary<Header[]> =>
  values.map((value) => [[name, value]]);
const noField = fc.constant<Header[]>([]);

/** Requests for this operation. Odd values in the path can select another one. */
export function requestsFor(operation: Operation): Arbitrary<RawRequest> {
  return fc
    .record({
      method: methodFor(operation),
      path: pathFor(operation),
      query: queryFor(operation),
      headers: fc.tuple(authorization(), idempotencyKey(operation)),
      content: contentFor(operation),
    })
    .map(({ method, path, query, headers, content }) => ({
      method,
      path: path + (query.length > 0 ? `?${query.join('&')}` : ''),
      headers: [...headers.flat(1), ...content.headers],
      body: content.body,
      encoding: content.encoding,
    }))
    .map((request) => atOnce(operation, request));
}

/** Requests for arbitrary paths. */
export const requestsAnywhere: Arbitrary<RawRequest> = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'),
  path: fc
    .array(
      fc.oneof(
        oddSegment,
        fc.constantFrom('api', 'API', 'mailboxes', 'messages', 'tokens', 'attachments', 'raw', ''),
        thing('mailbox', 'name'),
      ),
      { maxLength: 7 },
    )
    .map((segments) => `/${segments.join('/')}`),
  headers: fc.tuple(authorization()).map((headers) => headers.flat(1)),
  body: fc.constant(null),
  encoding: fc.constant('utf8' as const),
});

function methodFor({ method }: Operation): Arbitrary<string> {
  const other = fc.constantFrom('OPTIONS', 'PUT', 'PATCH', 'TRACE', 'POST', 'PROPFIND', 'DELETE');
  const same =
    method === 'GET' ? mostly(fc.constant('GET'), fc.constant('HEAD')) : fc.constant(method);
  return fc.oneof({ weight: 15, arbitrary: same }, { weight: 1, arbitrary: other });
}

/**
 * Either one existing resource, named by all parameters together, or odd values for some of them.
 */
function pathFor({ path, parameters }: Operation): Arbitrary<string> {
  const names = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
  const kind = kindAt(path);
  const put = (values: string[]) =>
    names.reduce((done, name, n) => done.replace(`{${name}}`, () => values[n]!), path);
  const real = number.map((n) => put(names.map((name) => `<<${kind}.${n}.${name}>>`)));
  const odd = fc
    .tuple(...names.map((name) => fc.oneof(oddSegment, thing(kind, name))))
    .map((values) => put(values));
  return names.length === 0 ? fc.constant(path) : fc.oneof({ weight: 4, arbitrary: real }, odd);
}

/** The kind of resource that the parameters of a path name. */
export function kindAt(path: string): string {
  if (path.includes('{messageId}')) return 'link';
  if (path.endsWith('/claim') && path.includes('{id}')) return 'claim';
  if (path.includes('{attachmentId}')) return 'attachment';
  if (path.includes('{deliveryId}')) return 'delivery';
  if (path.includes('/webhooks/{')) return 'webhook';
  if (path.includes('/smtp-credentials/{')) return 'credential';
  if (path.includes('/messages/{')) return 'message';
  return path.includes('/tokens/{') ? 'token' : 'mailbox';
}

/** The request with a timeout of 0, if it would wait. */
export function atOnce({ parameters, body }: Operation, request: RawRequest): RawRequest {
  const { path } = request;
  if (parameters.some(({ name }) => name === 'timeout') && !path.includes('timeout=')) {
    return { ...request, path: `${path}${path.includes('?') ? '&' : '?'}timeout=0` };
  }
  const waits = body && 'timeout' in (follow(body).properties ?? {});
  return waits ? { ...request, body: bodyAtOnce(request.body) } : request;
}

function bodyAtOnce(text: string | null): string | null {
  try {
    const value = JSON.parse(text ?? '') as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return text;
    const { timeout } = value as { timeout?: unknown };
    const waits = timeout === undefined || typeof timeout === 'number';
    return waits && text?.includes('__proto__') === false
      ? JSON.stringify({ ...value, timeout: 0 })
      : text;
  } catch {
    return text;
  }
}

function queryFor({ parameters }: Operation): Arbitrary<string[]> {
  const query = parameters.filter((one) => one.in === 'query' && one.name !== 'timeout');
  // About as many of many optional parameters as of two, so that some requests are valid.
  const absent = {
    weight: Math.max(1, Math.floor(query.length / 2)),
    arbitrary: fc.constant<string[]>([]),
  };
  const declared = query.map((parameter) =>
    parameter.required
      ? mostly(pairFor(parameter), fc.constant([]))
      : fc.oneof(absent, { weight: 1, arbitrary: pairFor(parameter) }),
  );
  const odd = fc
    .tuple(
      fc.oneof(
        oddSegment,
        fc.constantFrom(
          'limit',
          'limit[]',
          'since[0]',
          '[',
          '[a]',
          '__proto__',
          '__proto__[a]',
          '',
        ),
      ),
      oddSegment,
    )
    .map(([name, value]) => [`${name}=${value}`]);
  return fc
    .tuple(...declared, mostly(fc.constant<string[]>([]), odd))
    .map((pairs) => pairs.flat(1));
}

function pairFor({ name }: Parameter): Arbitrary<string[]> {
  const known: Record<string, Arbitrary<string>> = {
    limit: fc.oneof(
      fc.integer({ min: 1, max: 100 }).map(String),
      fc.constantFrom('0', '101', '-1', '1e1', ''),
    ),
    after: fc.oneof(thing('message', 'cursor'), thing('delivery', 'cursor')),
    label: fc.constantFrom('run:1', 'run:2', 'worker:a', 'run'),
    state: fc.constantFrom('pending', 'delivered', 'abandoned', 'held', 'PENDING', 'none'),
    since: fc.oneof(
      thing('message', 'since'),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.constantFrom(
        '2026-02-30T00:00:00Z',
        '2026-01-01',
        '2026-01-01T00:00:00',
        '0000-01-01T00:00:00+14:00',
        '2016-12-31T23:59:60Z',
        '9999-12-31T23:59:59-12:00',
        '2026-01-01T24:00:00Z',
        '2026-01-01t00:00:00z',
        '2026-01-01T00:00:00.123456789123456789Z',
        '2026-01-01T00:00:00+99:99',
        '2026-01-01%2000:00:00Z',
      ),
    ),
    to: thing('mailbox', 'name').map((box) => `${box}@one.test`),
    from: fc.constantFrom('a@b.test', 'a+b@c.test'),
    with: thing('message', 'id'),
    claimId: thing('claim', 'claimId'),
    claimed: fc.constantFrom('true', 'false', '1'),
    hasAttachment: fc.constantFrom('true', 'false', ''),
    order: fc.constantFrom('oldest', 'newest', 'first'),
    count: fc.constantFrom('1', '100', '0', '101'),
    expires: thing('link', 'expires'),
    signature: thing('link', 'signature'),
  };
  const value = mostly(known[name] ?? oddSegment, oddSegment);
  const once = value.map((text) => [`${name}=${text}`]);
  const twice = fc.tuple(value, value).map((texts) => texts.map((text) => `${name}=${text}`));
  return fc.oneof({ weight: 15, arbitrary: once }, { weight: 1, arbitrary: twice });
}

function authorization(): Arbitrary<Header[]> {
  const good = fc.constant('Bearer <<bearer.0.admin>>');
  const other = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(...BEARERS).map((name) => `Bearer <<bearer.0.${name}>>`),
    },
    fc.constantFrom(
      'Bearer',
      'Bearer ',
      'bearer  <<bearer.0.admin>>',
      'Basic YTpi',
      'Bearer mf_x y',
    ),
    oddHeader.map((text) => `Bearer ${text}`),
    oddHeader,
  );
  const some = fc.oneof({ weight: 5, arbitrary: good }, other);
  return mostly(field('Authorization', some), noField);
}

function idempotencyKey({ parameters }: Operation): Arbitrary<Header[]> {
  if (!parameters.some(({ name }) => name === 'Idempotency-Key')) return noField;
  const key = field('Idempotency-Key', fc.oneof(oddHeader, fc.constantFrom('a', 'b'), fc.uuid()));
  const twice = fc.tuple(key, key).map((fields) => fields.flat(1));
  return fc.oneof({ weight: 10, arbitrary: noField }, { weight: 10, arbitrary: key }, twice);
}

type Content = Pick<RawRequest, 'headers' | 'body' | 'encoding'>;

function contentFor({ body, takesMail }: Operation): Arbitrary<Content> {
  if (takesMail) return mostly(mailContent, jsonContent(body));
  return jsonContent(body);
}

const mailContent: Arbitrary<Content> = fc.record({
  headers: field('Content-Type', fc.constant('message/rfc822')),
  body: anyString.map((text) => `Subject: ${text}\r\n\r\n${text}`),
  encoding: fc.constant<'utf8' | 'latin1'>('utf8'),
});

function jsonContent(body: Operation['body']): Arbitrary<Content> {
  const none = fc.constant<Content>({ headers: [], body: null, encoding: 'utf8' });
  const types = fc.constantFrom(
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/json; charset=utf-16',
    'application/json; charset=nonsense',
    'APPLICATION/JSON',
    'application/problem+json',
    'application',
    '*/*',
    ';',
    '',
  );
  const json = (value: Arbitrary<unknown>) => value.map((some) => JSON.stringify(some));
  const texts = body
    ? fc.oneof(
        { weight: 8, arbitrary: json(valuesOf(body, '')) },
        { weight: 4, arbitrary: json(valuesOf(body, '').chain(brokenIn)) },
        { weight: 1, arbitrary: json(oddValue) },
        { weight: 1, arbitrary: brokenJson(json(valuesOf(body, ''))) },
      )
    : json(oddValue);
  const type = mostly(
    field('Content-Type', fc.constant('application/json')),
    field('Content-Type', types),
  );
  const coding = fc.oneof(
    { weight: 30, arbitrary: noField },
    field('Content-Encoding', fc.constantFrom('gzip', 'br', 'nonsense')),
  );
  const withText: Arbitrary<Content> = fc.record({
    headers: fc.tuple(type, coding).map((fields) => fields.flat(1)),
    body: texts,
    encoding: fc.oneof(
      { weight: 20, arbitrary: fc.constant<'utf8' | 'latin1'>('utf8') },
      fc.constant<'utf8' | 'latin1'>('latin1'),
    ),
  });
  return body ? mostly(withText, none) : mostly(none, withText);
}

function brokenJson(json: Arbitrary<string>): Arbitrary<string> {
  return fc.oneof(
    json.map((text) => text.slice(0, -1)),
    json.map((text) => `\uFEFF${text}`),
    json.map((text) => `${text}${text}`),
    json.map((text) => text.replaceAll('"', "'")),
    fc.constantFrom('', ' ', '{"a":1,}', 'NaN', '[', '\0', '{"name":"a","name":"b"}'),
    fc.nat({ max: 5_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
    fc.nat({ max: 5_000 }).map((depth) => '{"to":'.repeat(depth) + '1' + '}'.repeat(depth)),
    fc.constant(`{"name":"${'x'.repeat(110_000)}"}`),
  );
}

/** Integers that the service limits further, or that would fill the workspace. */
const largest: Record<string, number> = { messagesExpireIn: 86_400, count: 3 };

/** Values by name that are always valid. */
const certainValues: Record<string, unknown[]> = {
  labels: [{}, { run: '1' }, { run: '2', worker: 'a' }],
  headers: [{}, { 'X-A': 'b' }, { References: '<a@b.test>' }],
  fromAddress: ['a@b.test', 'a+b@c.test'],
  replyTo: ['a@b.test', ['a@b.test', 'b@c.test']],
};

/** Values that satisfy a schema; `name` says what the service expects in them. */
function valuesOf(given: Schema, name: string): Arbitrary<unknown> {
  const schema = follow(given);
  if (schema.allOf) return valuesOf(schema.allOf[0]!, name);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const certain = certainValues[name];
  if (certain) return fc.constantFrom(...certain);
  if (Array.isArray(schema.type)) {
    const [type = 'null'] = schema.type.filter((each) => each !== 'null');
    const value = valuesOf({ ...schema, type }, name);
    // Only the service makes valid marks.
    return name === 'mark' ? mostly(fc.constant(null), value) : mostly(value, fc.constant(null));
  }
  if (schema.type === 'array') {
    const minLength = schema.minItems ?? 0;
    return fc.array(valuesOf(schema.items!, name), { minLength, maxLength: 4 });
  }
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer' || schema.type === 'number') {
    const max = largest[name] ?? schema.maximum ?? 0x7fffffff;
    return fc.integer({ min: schema.minimum ?? -0x80000000, max });
  }
  if (schema.type === 'string') return stringsFor(name);
  if ('count' in (schema.properties ?? {})) return batches(schema);
  const properties = Object.entries(schema.properties ?? {}).map(
    ([key, part]) => [key, valuesOf(part, key)] as const,
  );
  return fc.record(Object.fromEntries(properties), { requiredKeys: schema.required ?? [] });
}

/** Either `count` or `mailboxes`, and seldom both. */
function batches({ properties = {} }: Schema): Arbitrary<unknown> {
  const { count = {}, mailboxes = {} } = properties;
  const values = { count: valuesOf(count, 'count'), mailboxes: valuesOf(mailboxes, '') };
  return fc.oneof(
    fc.record({ count: values.count }),
    fc.record({ mailboxes: values.mailboxes }),
    fc.record(values),
  );
}

const address = mostly(
  thing('mailbox', 'name').map((box) => `${box}@one.test`),
  fc.tuple(thing('mailbox', 'name'), anyString).map(([box, tag]) => `${box}+${tag}@one.test`),
);

const stringsByName: Record<string, Arbitrary<string>> = {
  to: address,
  cc: address,
  // Not `fc.webUrl`, whose percent-encoded characters take a second to prepare.
  url: fc.oneof(
    fc
      .tuple(
        fc.constantFrom('https', 'http', 'ftp'),
        fc.oneof(
          fc.domain(),
          fc.ipV4(),
          fc.ipV6().map((ip) => `[${ip}]`),
        ),
        fc.stringMatching(/^(?:\/(?:[\w~.!$-]|%[0-9A-F]{2})*){0,3}(?:\?[\w=&%/]*)?$/),
      )
      .map(([scheme, host, rest]) => `${scheme}://${host}${rest}`),
    fc.constantFrom('https://hooks.example.com/a'),
  ),
  name: fc.oneof(
    fc.stringMatching(/^[a-z0-9][a-z0-9._-]{3,12}[a-z0-9]$/),
    thing('mailbox', 'name'),
  ),
  claimId: thing('claim', 'claimId'),
  from: fc.constantFrom('@b.test', 'a@b.test'),
  header: fc.constant('Subject: 1'),
  tag: fc.constantFrom('a', 'b'),
  owner: fc.constantFrom('w1', 'w2'),
  text: fc.constantFrom('a', 'code'),
  clientId: fc.stringMatching(/^[a-z]{1,3}$/),
  mailboxes: fc.oneof(thing('mailbox', 'name'), fc.constant('run:1')),
  data: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  contentType: fc.constantFrom(
    'text/plain',
    'application/pdf; a=b',
    'message/rfc822',
    'multipart/mixed',
  ),
  subject: anyString,
  since: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
};

function stringsFor(name: string): Arbitrary<string> {
  return mostly(stringsByName[name] ?? oddString, oddString);
}

/** The value with one fault: a missing, invalid or additional field. */
function brokenIn(value: unknown): Arbitrary<unknown> {
  if (Array.isArray(value)) {
    return fc.oneof(
      oddValue.map((odd) => [...(value as unknown[]), odd]),
      oddValue,
    );
  }
  if (typeof value !== 'object' || value === null) return oddValue;
  const keys = Object.keys(value);
  const extra = fc
    .tuple(fc.oneof(fc.constantFrom('id', '__proto__', 'constructor', 'bcc'), oddString), oddValue)
    .map(([key, odd]) => Object.fromEntries([...Object.entries(value), [key, odd]]));
  if (keys.length === 0) return extra;
  const some = fc.constantFrom(...keys);
  return fc.oneof(
    extra,
    some.map((gone) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== gone))),
    some.chain((key) =>
      brokenIn((value as Record<string, unknown>)[key]).map((odd) => ({ ...value, [key]: odd })),
    ),
  );
}
