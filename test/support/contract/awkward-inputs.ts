/**
 * Valid requests of an operation except for one string input, which contains text that a database
 * or JSON can be unable to store.
 */
import type { Header, RawRequest } from '../clients/raw-http.ts';
import { type Operation, type Schema, follow } from './operations.ts';
import { atOnce, kindAt } from './requests.ts';
import { isLongForm } from '../mocha/long-form.ts';

interface AwkwardText {
  name: string;
  text: string;
  /** As a part of a path or query: bytes of UTF-8, or the equivalent invalid bytes. */
  encoded: string;
}

const encode = (name: string, text: string): AwkwardText => ({
  name,
  text,
  encoded: encodeURIComponent(text),
});

export const awkwardTexts: AwkwardText[] = [
  encode('U+0000', '\0'),
  { name: 'a lone surrogate', text: '\ud800', encoded: '%ED%A0%80' },
  encode('U+FFFF', '\uffff'),
  encode('right-to-left marks', '\u200f\u202e'),
];

export interface AwkwardRequest {
  /** The input and its text. */
  title: string;
  request: RawRequest;
}

type Path = (string | number)[];
type Spell = (value: string, text: string) => string;

/** The text alone, and inside a valid value; in the tag if that is an address. */
const SPELLINGS: Spell[] = [
  (_value, text) => text,
  (value, text) => {
    const at = value.lastIndexOf('@');
    return at < 0 ? `${value}${text}x` : `${value.slice(0, at)}+t${text}x${value.slice(at)}`;
  },
];

/**
 * The requests in a fixed order; in the short form with the first two texts, inside of valid
 * values. Placeholders are those of world.ts.
 */
export function awkwardRequests(operation: Operation): AwkwardRequest[] {
  return awkwardTexts.slice(0, isLongForm ? undefined : 2).flatMap(({ name, text, encoded }) =>
    SPELLINGS.slice(isLongForm ? 0 : 1)
      .flatMap((spell) => [
        ...inPathOrQuery(operation, (value) => spell(value, encoded)),
        ...inHeader(operation, (value) => spell(value, Buffer.from(text).toString('latin1'))),
        ...inBody(operation, (value) => spell(value, text)),
      ])
      .map(({ title, request }) => ({
        title: `${title} with ${name}`,
        request: atOnce(operation, request),
      })),
  );
}

function inPathOrQuery(operation: Operation, spell: (value: string) => string): AwkwardRequest[] {
  const kind = kindAt(operation.path);
  const inputs = operation.parameters.filter((one) => one.in !== 'header');
  return inputs.map((input) => {
    let path = operation.path;
    const query: string[] = [];
    for (const parameter of inputs) {
      const usual = usualOf(parameter.in === 'path' || parameter.required, kind, parameter.name);
      const value = parameter === input ? spell(usual) : usual;
      if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, () => value);
      else if (parameter.required || parameter === input) query.push(`${parameter.name}=${value}`);
    }
    const target = query.length > 0 ? `${path}?${query.join('&')}` : path;
    return {
      title: `${input.in} ${input.name}`,
      request: { ...usualRequest(operation), path: target },
    };
  });
}

function inHeader(operation: Operation, spell: (value: string) => string): AwkwardRequest[] {
  const names = operation.parameters.filter((one) => one.in === 'header').map(({ name }) => name);
  if (operation.needsToken) names.push('Authorization');
  return names.flatMap((name) => {
    const value = spell(name === 'Authorization' ? 'Bearer <<bearer.0.admin>>' : 'key');
    if (value.includes('\0')) return []; // no client sends it (RFC 9110 section 5.5)
    const usual = usualRequest(operation);
    const others = usual.headers.filter(([other]) => other !== name);
    return [
      { title: `header ${name}`, request: { ...usual, headers: [...others, [name, value]] } },
    ];
  });
}

function inBody(operation: Operation, spell: (value: string) => string): AwkwardRequest[] {
  if (!operation.body) return [];
  const usual = usualValue(operation.body, '');
  return stringsIn(usual, []).map((path) => ({
    title: `body ${path.join('.')}`,
    request: { ...usualRequest(operation), body: JSON.stringify(changed(usual, path, spell)) },
  }));
}

function usualRequest(operation: Operation): RawRequest {
  const kind = kindAt(operation.path);
  const inputs = operation.parameters.filter((one) => one.in !== 'header');
  const path = inputs.reduce(
    (done, { name }) => done.replace(`{${name}}`, () => `<<${kind}.0.${name}>>`),
    operation.path,
  );
  const query = inputs.filter((one) => one.in === 'query' && one.required);
  const pairs = query.map(({ name }) => `${name}=<<${kind}.0.${name}>>`);
  const headers: Header[] = [];
  if (operation.needsToken) headers.push(['Authorization', 'Bearer <<bearer.0.admin>>']);
  if (operation.body) headers.push(['Content-Type', 'application/json']);
  return {
    method: operation.method,
    path: pairs.length > 0 ? `${path}?${pairs.join('&')}` : path,
    headers,
    body: operation.body && JSON.stringify(usualValue(operation.body, '')),
    encoding: 'utf8',
  };
}

/** Optional parameters of a query have no placeholder. */
const usualOf = (isOfWorld: boolean | undefined, kind: string, name: string) =>
  isOfWorld ? `<<${kind}.0.${name}>>` : '';

const USUAL_STRINGS: Record<string, string> = {
  to: '<<mailbox.1.name>>@one.test',
  cc: '<<mailbox.2.name>>@one.test',
  url: 'https://hooks.example.com/a',
  name: 'fresh',
  data: 'YQ==',
  contentType: 'text/plain',
  token: '<<bearer.0.admin>>',
};

/** A value of the schema with all properties; `name` says what the service expects in it. */
function usualValue(given: Schema, name: string): unknown {
  const schema = follow(given);
  if (schema.allOf) return usualValue(schema.allOf[0]!, name);
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return [usualValue(schema.items!, name)];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  if (schema.type === 'string') return USUAL_STRINGS[name] ?? 'text';
  const properties = Object.entries(schema.properties ?? {});
  return Object.fromEntries(properties.map(([key, part]) => [key, usualValue(part, key)]));
}

function stringsIn(value: unknown, path: Path): Path[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => stringsIn(part, [...path, key]));
}

function changed(value: unknown, [key, ...rest]: Path, spell: (value: string) => string): unknown {
  if (key === undefined) return spell(String(value));
  const parts = Object.entries(value as object).map(([name, part]) => [
    name,
    name === key ? changed(part, rest, spell) : (part as unknown),
  ]);
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}
