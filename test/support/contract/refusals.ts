/**
 * The requests that every operation refuses alike, derived from openapi.yaml: the valid request for
 * a place with one fault each.
 */
import type { Header, RawRequest } from '../clients/raw-http.ts';
import { type Place, requestFor } from './access.ts';
import { type Operation, type Parameter, type Schema, fault, follow } from './operations.ts';

/** What the requests refer to. */
export interface Ground {
  place: Place;
  /** Another mailbox of the workspace. */
  other: Place;
  tokenId: string;
  tokens: Record<'admin' | 'member' | 'reader' | 'narrow' | 'revoked' | 'expired', string> &
    /** Of other workspaces: without mailboxes, with one of the same name, above its rate limit. */
    Record<'stranger' | 'namesake' | 'limited', string>;
}

export interface Refusal {
  status: number;
  why: string;
  requests: (ground: Ground) => RawRequest[];
}

/** Statuses that an operation has for reasons of its own, which other tests hold. */
export const OWN_REASONS = [
  'signOut 403', // without a CSRF token: session.test.ts
  'mcp 400', // in the form of JSON-RPC: tools.test.ts
  'mcp 403', // from another origin: tools.test.ts
  'followAttachmentLink 403', // attachment-links.test.ts
  'followAttachmentLink 404',
];
/** Bytes of a body above the limit of an operation; 110,000 for others. */
const TOO_LONG: Record<string, number> = {
  ...{ sendMessage: 21_000_000, replyToMessage: 21_000_000 },
  storeRawMessage: 26_214_401,
};
const JSON_TYPE: Header = ['Content-Type', 'application/json'];

/** Only those with a status that the operation documents. */
export function refusalsOf(operation: Operation): Refusal[] {
  const all = [
    ...queryFaults(operation),
    ...bodyFaults(operation),
    ...withoutPermission(operation),
    ...unknownResources(operation),
    ...otherBodies(operation),
    refusal(
      429,
      'above the rate limit of its workspace',
      operation,
      ({ tokens }) => tokens.limited,
    ),
  ];
  return all.filter(
    ({ status }) =>
      operation.replies.has(status) && !OWN_REASONS.includes(`${operation.id} ${status}`),
  );
}

function valid(operation: Operation, { place, tokenId, tokens }: Ground): RawRequest {
  return requestFor(operation, place, { token: tokens.admin, tokenId });
}

/** The request with another token. */
function refusal(
  status: number,
  why: string,
  operation: Operation,
  tokenOf: (ground: Ground) => string,
): Refusal {
  return {
    status,
    why,
    requests: (ground) => {
      const request = valid(operation, ground);
      const others = request.headers.filter(([name]) => name !== 'Authorization');
      const token = tokenOf(ground);
      const own: Header[] = token === '' ? [] : [['Authorization', token]];
      if (token !== '' && !token.includes(' ')) own[0] = ['Authorization', `Bearer ${token}`];
      const asked = { ...request, headers: [...others, ...own] };
      // Refused before the body is read.
      return operation.body ? [asked, { ...asked, body: '{' }] : [asked];
    },
  };
}

function withoutPermission(operation: Operation): Refusal[] {
  const by = (status: number, why: string, tokenOf: (ground: Ground) => string) =>
    refusal(status, why, operation, tokenOf);
  const refused = [
    by(401, 'no token', () => ''),
    by(401, 'an unknown token', () => `mf_${'x'.repeat(43)}`),
    by(401, 'a malformed token', () => 'mf_unknown'),
    by(401, 'another scheme', () => 'Basic dXNlcjpwYXNz'),
    by(401, 'a revoked token', ({ tokens }) => tokens.revoked),
    by(401, 'an expired token', ({ tokens }) => tokens.expired),
  ];
  refused.push(by(403, 'a reader', ({ tokens }) => tokens.reader));
  if (operation.path.startsWith('/api/tokens')) {
    refused.push(by(403, 'a member', ({ tokens }) => tokens.member));
    refused.push(by(403, 'an admin for some mailboxes', ({ tokens }) => tokens.narrow));
  }
  return refused;
}

function unknownResources(operation: Operation): Refusal[] {
  const at = (
    why: string,
    placeOf: (ground: Ground) => Partial<Place>,
    by: 'admin' | 'stranger' | 'namesake' | 'narrow' = 'admin',
    id?: string,
  ): Refusal => ({
    status: 404,
    why,
    requests: (ground) => [
      requestFor(
        operation,
        { ...ground.place, ...placeOf(ground) },
        { token: ground.tokens[by], tokenId: id ?? ground.tokenId },
      ),
    ],
  });
  const refused = [at('of another workspace', () => ({}), 'stranger')];
  if (operation.path.includes('{name}')) {
    refused.push(at('an unknown mailbox', () => ({ name: 'none' })));
    refused.push(at('a mailbox that the token excludes', () => ({}), 'narrow'));
  }
  if (operation.path.includes('/tokens/')) {
    refused.push(at('an unknown token', () => ({}), 'admin', 'tok_none'));
  }
  for (const field of idsIn(operation)) {
    refused.push(
      at(`an unknown ${field}`, ({ place }) => ({ [field]: place[field].replace(/_.*/, '_none') })),
      at(`the ${field} of another mailbox`, ({ other }) => ({ [field]: other[field] })),
    );
  }
  if (idsIn(operation).length > 0) {
    refused.push(at('of a mailbox of this name in another workspace', () => ({}), 'namesake'));
  }
  return refused;
}

/** The resources that the path names below the mailbox. */
function idsIn({ path }: Operation): ('messageId' | 'webhookId' | 'credentialId' | OwnId)[] {
  const own = (['attachmentId', 'deliveryId'] as const).filter((id) => path.includes(`{${id}}`));
  if (!path.includes('{name}') || !path.includes('{id}')) return [];
  if (path.includes('/webhooks/')) return ['webhookId', ...own];
  return [path.includes('/smtp-credentials/') ? 'credentialId' : 'messageId', ...own];
}
type OwnId = 'attachmentId' | 'deliveryId';

function otherBodies(operation: Operation): Refusal[] {
  if (!operation.body && !operation.takesMail) return [];
  const type: Header = operation.takesMail ? JSON_TYPE : ['Content-Type', 'text/plain'];
  const types: [string, Header[]][] = [
    [`the type ${type[1]}`, [type]],
    ['no type', []],
  ];
  if (operation.body)
    types.push(['UTF-16', [['Content-Type', 'application/json; charset=utf-16']]]);
  return [
    {
      status: 413,
      why: 'a body too large',
      // Refused before the body is read.
      requests: (ground) => {
        const request = valid(operation, ground);
        const length = `${TOO_LONG[operation.id] ?? 110_000}`;
        const headers: Header[] = [
          ...request.headers,
          ...([
            ['Content-Length', length],
            ['Connection', 'close'],
          ] satisfies Header[]),
        ];
        return [{ ...request, body: '{', headers }];
      },
    },
    ...types.map(([why, headers]) => ({
      status: 415,
      why: `a body with ${why}`,
      requests: (ground: Ground) => {
        const request = valid(operation, ground);
        const others = request.headers.filter(([name]) => name !== 'Content-Type');
        return [{ ...request, body: '{"name":"wanted"}', headers: [...others, ...headers] }];
      },
    })),
  ];
}

/** Texts that the schema of a parameter admits and its operation does not. */
const WRONG_TEXTS: Record<string, string> = {
  ...{
    after: 'nonsense',
    mark: 'x',
    before: 'x',
    header: '42',
    label: 'run',
    q: `foo:1 ${'a'.repeat(40)}`,
  },
};

function queryFaults(operation: Operation): Refusal[] {
  const { parameters } = operation;
  const inQuery = parameters.filter((one) => one.in === 'query');
  const wrong = (why: string, change: (pairs: string[]) => string[][]): Refusal => ({
    status: 400,
    why,
    requests: (ground) => {
      const request = valid(operation, ground);
      const [path = '', query] = request.path.split('?');
      const pairs = query === undefined ? [] : query.split('&');
      return change(pairs).map((some) => ({
        ...request,
        path: some.length > 0 ? `${path}?${some.join('&')}` : path,
      }));
    },
  });
  return [
    wrong('an unknown query parameter', (pairs) => [[...pairs, 'unexpected=1']]),
    wrong('brackets in the name of a query parameter', (pairs) =>
      ['[=1', '[a]=1', '__proto__[a]=1', 'limit[]=1'].map((odd) => [...pairs, odd]),
    ),
    ...inQuery.map((parameter) =>
      wrong(`an invalid query parameter "${parameter.name}"`, (pairs) => {
        const others = pairs.filter((pair) => !pair.startsWith(`${parameter.name}=`));
        const refused = wrongPairs(parameter).map((odd) => [...others, ...odd]);
        return parameter.required ? [others, ...refused] : refused;
      }),
    ),
  ];
}

const TEXTS = ['nonsense', 'yes', '0', '-1', '1.5', '0x10', '1e1', ' 5', '101', '56'];
const TIMES = [
  ...['yesterday', '2026-03-01', '2026-03-01T12:00:00', '2026-13-01T12:00:00Z'],
  ...['2026-02-30T12:00:00Z', '2026-03-01T12:00:60Z'],
];

function wrongPairs({ name, schema, allowEmptyValue }: Parameter): string[][] {
  const items = schema.type === 'array' ? follow(schema.items!) : follow(schema);
  const texts = [...TEXTS, ...TIMES, 'x'.repeat((items.maxLength ?? 5000) + 1)].filter(
    (text) => !isText(items, text),
  );
  if (WRONG_TEXTS[name] !== undefined) texts.push(WRONG_TEXTS[name]);
  if (!allowEmptyValue) texts.push('');
  const pairs = texts.map((text) => [`${name}=${encodeURIComponent(text)}`]);
  const most = schema.type === 'array' ? (schema.maxItems ?? 1) : 1;
  // Node.js reads 1,000 parameters of a query.
  return most < 1000 ? [...pairs, Array<string>(most + 1).fill(`${name}=1`)] : pairs;
}

function isText(schema: Schema, text: string): boolean {
  if (schema.type === 'boolean') return text === 'true' || text === 'false';
  if (schema.type !== 'integer') return fault(schema, text) === null;
  return /^\d+$/.test(text) && fault(schema, Number(text)) === null;
}

function bodyFaults(operation: Operation): Refusal[] {
  const { body: schema } = operation;
  if (!schema) return [];
  const { properties = {}, required = [] } = follow(schema);
  const wrong = (why: string, change: (body: object) => unknown[]): Refusal => ({
    status: 400,
    why,
    requests: (ground) => {
      const request = valid(operation, ground);
      const bodies = change(JSON.parse(request.body ?? '{}') as object);
      const faulty = bodies.filter((body) => fault(schema, body) !== null);
      return faulty.map((body) => withBody(request, JSON.stringify(body)));
    },
  });
  const malformed: Refusal = {
    status: 400,
    why: 'malformed JSON',
    requests: (ground) =>
      ['{', '{"name":', '{"name":"a",}'].map((text) => withBody(valid(operation, ground), text)),
  };
  const missing: Refusal = {
    status: 400,
    why: 'no body',
    requests: (ground) => [{ ...valid(operation, ground), body: null }],
  };
  return [
    malformed,
    wrong('an array', () => [[]]),
    wrong('a text, a number or null', () => ['text', 5, null]),
    ...(fault(schema, {}) === null ? [] : [missing, wrong('an empty object', () => [{}])]),
    ...(fault(schema, { unexpected: 1 }) === null
      ? []
      : [wrong('an unknown field', (body) => [{ ...body, unexpected: 1 }])]),
    ...required.map((name) =>
      wrong(`no field "${name}"`, (body) => [{ ...body, [name]: undefined }]),
    ),
    ...Object.entries(properties).map(([name, property]) =>
      wrong(`an invalid field "${name}"`, (body) =>
        wrongValues(property).map((value) => ({ ...body, [name]: value })),
      ),
    ),
  ];
}

function withBody(request: RawRequest, body: string): RawRequest {
  const others = request.headers.filter(([name]) => name !== 'Content-Type');
  return { ...request, body, headers: [...others, JSON_TYPE] };
}

/** Values around the bounds of a schema and of its parts; some are valid. */
function wrongValues(given: Schema): unknown[] {
  const schema = follow(given);
  const { items, properties = {}, minimum = 0, maximum = 2 ** 53 } = schema;
  const parts = Object.entries(properties).flatMap(([name, part]) =>
    wrongValues(part).map((value) => ({ [name]: value })),
  );
  return [
    ...[null, true, 5, 1.5, minimum - 1, maximum + 1, [], [1], {}, { run: 1 }, { unexpected: 1 }],
    ...['', ' ', '60', 'a\0b', 'text', 'x'.repeat((schema.maxLength ?? 1000) + 1)],
    ...(schema.format === 'date-time' ? TIMES : []),
    ...parts,
    ...(items ? wrongValues(items).map((value) => [value]) : []),
    ...(items ? [Array((schema.maxItems ?? 0) + 1).fill('x')] : []),
  ];
}
