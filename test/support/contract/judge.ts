/** What openapi.yaml requires of every response, regardless of the request. */
import type { RawAnswer, RawRequest } from '../clients/raw-http.ts';
import {
  type Media,
  type Operation,
  type Schema,
  exampleCodes,
  fault,
  route,
} from './operations.ts';

/** Rejections before the path is matched, or because of the path. */
const WITHOUT_OPERATION = new Set([400, 401, 403, 404, 405, 413, 415]);
const ERROR: Schema = { $ref: '#/components/schemas/Error' };

/** Paths of the dashboard, which are not part of the contract. */
const PAGE = /^\/(?:sign-in|tokens|(?:mailboxes|messages)(?:\/[^?#]*)?)?\/?(?:[?#].*)?$/i;

/** All violations of a response. */
export function faultsOf(request: RawRequest, answer: RawAnswer): string[] {
  const { known, operation } = route(request.method, request.path);
  const faults: string[] = [];
  const must = (holds: boolean, text: string) => {
    if (!holds) faults.push(text);
  };
  const { status } = answer;
  const isPage = ['GET', 'HEAD'].includes(request.method) && PAGE.test(request.path);
  if (isPage && status === 200) {
    must(answer.header('content-type').startsWith('text/html'), 'is no page');
    return faults;
  }
  must(status < 500, `answers ${status}`);
  if (operation) must(operation.replies.has(status), `${operation.id} documents no ${status}`);
  else {
    must(WITHOUT_OPERATION.has(status), `${status} where nothing is documented`);
    must(known || status !== 405, '405 where no path is documented');
  }
  must(answer.header('x-request-id') !== '', 'has no X-Request-Id');
  must(/^\d+\.\d+\.\d+$/.test(answer.header('mayfly-version')), 'has no Mayfly-Version');
  must((status === 401) === (answer.header('www-authenticate') !== ''), 'WWW-Authenticate and 401');
  if (status === 405) must(answer.header('allow') !== '', 'has no Allow');
  if (request.method === 'HEAD') {
    must(answer.body.length === 0, 'answers HEAD with a body');
    return faults;
  }
  faults.push(...bodyFaults(operation, answer));
  if (operation && status < 300) faults.push(...acceptedFaults(operation, request));
  return faults;
}

function bodyFaults(operation: Operation | undefined, answer: RawAnswer): string[] {
  const { status, body } = answer;
  const content = operation ? operation.replies.get(status)?.content : undefined;
  if (content === null) return body.length > 0 && status !== 302 ? ['has a body'] : [];
  const [type = ''] = answer.header('content-type').split(';');
  const media: Media | undefined = content ? (content[type] ?? content['*/*']) : { schema: ERROR };
  if (!media) return [`has the content type "${type}"`];
  const isError = status >= 400 && status !== 503;
  if (isError && type !== 'application/json') return [`is an error of the type "${type}"`];
  if (!media.schema || type === 'text/html' || type === 'text/plain') return [];
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return ['has a body that is no JSON'];
  }
  const broken = fault(media.schema, value);
  if (broken !== null) return [`breaks its schema: ${broken}`];
  if (!isError) return [];
  const { error, code, requestId } = value as Record<string, unknown>;
  if (operation && !exampleCodes(media).includes(String(code))) {
    return [`is "${String(code)}", which ${operation.id} does not list for ${status}`];
  }
  return requestId === answer.header('x-request-id') && error !== '' && code !== ''
    ? []
    : ['is an error without text, code or the request id of its header'];
}

/** Checks that a request that violates the contract was rejected. */
function acceptedFaults(operation: Operation, request: RawRequest): string[] {
  const faults: string[] = [];
  if (operation.body && request.body) {
    const broken = fault(operation.body, JSON.parse(request.body.replace(/^\uFEFF/, '')));
    if (broken !== null) faults.push(`was accepted though its body ${broken}`);
  }
  const documented = operation.parameters.map(({ name }) => name);
  const query = new URL(request.path, 'http://any').searchParams;
  for (const name of new Set(query.keys())) {
    if (!documented.includes(name)) faults.push(`was accepted with the parameter "${name}"`);
    const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name);
    const isList = parameter?.schema.type === 'array';
    if (!isList && query.getAll(name).length > 1) {
      faults.push(`was accepted with "${name}" twice`);
    }
  }
  return faults;
}
