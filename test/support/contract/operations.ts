/** openapi.yaml for tests: its operations, and independent validators of its schemas. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { CONTRACT } from '../../../api/contract/contract.ts';

export interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  allowEmptyValue?: boolean;
  schema: Schema;
}

interface Example {
  $ref?: string;
  value?: unknown;
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Example>;
}

interface Reply {
  $ref?: string;
  description: string;
  content?: Record<string, Media>;
}

export interface Operation {
  id: string;
  summary: string;
  description: string;
  /** In capitals. */
  method: string;
  /** With its parameters in braces. */
  path: string;
  parameters: Parameter[];
  needsToken: boolean;
  /** Schema of the JSON body; null without a body. */
  body: Schema | null;
  /** Whether its body is a mail instead of JSON. */
  takesMail: boolean;
  /** By status; `content` is null where no body is documented. */
  replies: Map<number, { description: string; content: Record<string, Media> | null }>;
}

interface Document {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, unknown> & { parameters?: Parameter[] }>;
}

interface OperationObject {
  operationId: string;
  summary: string;
  description: string;
  parameters?: Parameter[];
  security?: unknown[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Reply>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
const ROOT = 'contract';
/** The whole of openapi.yaml. */
export const document = parse(readFileSync(CONTRACT, 'utf8')) as Document;

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addSchema(document, ROOT);

export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => method in item).map((method) =>
    read(path, method, item[method] as OperationObject, item.parameters ?? []),
  ),
);

function read(
  path: string,
  method: string,
  operation: OperationObject,
  shared: Parameter[],
): Operation {
  return {
    id: operation.operationId,
    summary: operation.summary,
    description: operation.description,
    method: method.toUpperCase(),
    path,
    parameters: [...shared, ...(operation.parameters ?? [])].map(follow),
    needsToken: operation.security?.length !== 0,
    body: operation.requestBody?.content['application/json']?.schema ?? null,
    takesMail: operation.requestBody?.content['message/rfc822'] !== undefined,
    replies: new Map(
      Object.entries(operation.responses).map(([status, reply]) => {
        const { description, content = null } = follow(reply);
        return [Number(status), { description, content }];
      }),
    ),
  };
}

/** Whether the response does not end before the client disconnects. */
export function isStream({ replies }: Operation): boolean {
  return replies.get(200)?.content?.['text/event-stream'] !== undefined;
}

/** The target of a `$ref` of the contract. Returns other values unchanged. */
export function follow<T extends object>(part: T): T {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part;
  const steps = part.$ref.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T;
}

/**
 * The values of the examples of a media type, a parameter or a header, by name; a single one has
 * none.
 */
export function examplesOf({ example, examples = {} }: Media): Map<string, unknown> {
  const named = Object.entries(examples).map(([name, each]) => [name, follow(each).value] as const);
  return new Map(example === undefined ? named : [['', example], ...named]);
}

/** The error codes that the examples of a response have. */
export function exampleCodes(media: Media): string[] {
  return [...examplesOf(media).values()].map((value) => (value as { code: string }).code);
}

const validators = new Map<Schema, ValidateFunction>();

/** How the value violates the schema, or null. */
export function fault(schema: Schema, value: unknown): string | null {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(withRoot(schema));
    validators.set(schema, validate);
  }
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

/** Makes references inside the contract refer to the document that `ajv` has by name. */
function withRoot(schema: Schema): object {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === '$ref' && typeof value === 'string' ? `${ROOT}${value}` : value,
    ),
  ) as object;
}

/** The documented path of a request line, and its operation if the method is documented. */
export function route(method: string, target: string): { known: boolean; operation?: Operation } {
  const segments = split(target.replace(/[?#].*$/s, ''));
  const matching = operations
    .filter(({ path }) => matches(split(path), segments))
    .sort((a, b) => literals(b.path) - literals(a.path));
  const asked = method === 'HEAD' ? 'GET' : method;
  const operation = matching.find((one) => one.method === asked);
  return { known: matching.length > 0, ...(operation ? { operation } : {}) };
}

/** A trailing slash has no meaning. */
const split = (path: string) => path.replace(/\/$/, '').split('/');

const literals = (path: string) => split(path).filter((part) => !part.startsWith('{')).length;

const matches = (template: string[], segments: string[]) =>
  template.length === segments.length &&
  template.every((part, n) =>
    part.startsWith('{') ? segments[n] !== '' : part === segments[n]?.toLowerCase(),
  );
