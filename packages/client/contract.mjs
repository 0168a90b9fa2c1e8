/**
 * Writes src/contract.gen.ts, the version and the types of openapi.yaml without its texts, its
 * error responses, and what a client with a token has no use for, so that the package stays small.
 * `--check` writes nothing and fails when the file differs.
 */
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import { parse } from 'yaml';

const FILE = new URL('src/contract.gen.ts', import.meta.url);
const TEXTS = ['headers', 'description', 'summary', 'example', 'examples', 'title', 'format'];
const NO_SCHEMA = ['schemas', 'properties'];

/** The document without texts. The keys of a map of schemas are names, whatever they are called. */
function withoutTexts(value, isMapOfSchemas = false) {
  if (Array.isArray(value)) return value.map((one) => withoutTexts(one));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([key]) => isMapOfSchemas || !TEXTS.includes(key));
  return Object.fromEntries(
    entries.map(([key, one]) => [key, withoutTexts(one, NO_SCHEMA.includes(key))]),
  );
}

/** For browsers, load balancers and agents, and the streams, which the client reads itself. */
const FOR_OTHERS = [
  ...['signIn', 'signOut', 'healthz', 'readyz', 'followAttachmentLink', 'mcp'],
  ...['streamEvents', 'streamMailboxEvents'],
];
/** What the code of the client names. */
const USED = [
  ...['Claim', 'ClaimRequest', 'Error', 'Extracted', 'ExtractedLink', 'LiveEvent', 'Mailbox'],
  ...['Message', 'NewMailbox', 'SendRequest', 'Sent', 'WaitResult', 'WebhookEvent'],
];

/** Without the schemas that nothing refers to. */
function withoutUnused(document) {
  const { schemas } = document.components;
  const isUsed = ([name]) =>
    USED.includes(name) || JSON.stringify(document).includes(schemaOf(name));
  document.components.schemas = Object.fromEntries(Object.entries(schemas).filter(isUsed));
  const isSame = Object.keys(document.components.schemas).length === Object.keys(schemas).length;
  return isSame ? document : withoutUnused(document);
}

const schemaOf = (name) => `"#/components/schemas/${name}"`;

/** With schemas where they are used: those used once, and those that are no objects. */
function withSchemasInline(document) {
  const { schemas } = document.components;
  const text = JSON.stringify(document);
  const isInline = (name) =>
    !USED.includes(name) &&
    (schemas[name].type !== 'object' || text.split(schemaOf(name)).length === 2);
  const inlined = (value) => {
    if (Array.isArray(value)) return value.map(inlined);
    if (value === null || typeof value !== 'object') return value;
    const [, name] = /^#\/components\/schemas\/(.+)$/.exec(value.$ref) ?? [];
    if (name !== undefined && isInline(name)) return inlined(schemas[name]);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inlined(one)]));
  };
  const kept = Object.entries(schemas).filter(([name]) => !isInline(name));
  return inlined({
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(kept) },
  });
}

/** Each error has the same body, which the client turns into an exception. */
function withoutErrors(operation) {
  if (!operation.responses) return operation;
  const responses = Object.entries(operation.responses).filter(([status]) => status < '300');
  // An operation without a name is written where it is used, which takes fewer bytes.
  return { ...operation, operationId: undefined, responses: Object.fromEntries(responses) };
}

/** References to parameters replaced by the parameters themselves: most are strings. */
function withParameters(value, parameters) {
  if (Array.isArray(value)) return value.map((one) => withParameters(one, parameters));
  if (value === null || typeof value !== 'object') return value;
  const [, name] = /^#\/components\/parameters\/(.+)$/.exec(value.$ref) ?? [];
  if (name !== undefined) return parameters[name];
  const entries = Object.entries(value).map(([key, one]) => [key, withParameters(one, parameters)]);
  return Object.fromEntries(entries);
}

/** The methods and parameters of a path. */
function slimmedPath(path) {
  const kept = Object.entries(path).filter(([, one]) => !FOR_OTHERS.includes(one.operationId));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutErrors(one)]));
}

function slimmed({ paths, components, openapi }) {
  const kept = Object.entries(paths).map(([path, item]) => [path, slimmedPath(item)]);
  const isEmpty = (item) => Object.keys(item).every((key) => key === 'parameters');
  const { schemas, responses, parameters } = components;
  return withoutUnused({
    openapi,
    info: { title: 'Mayfly', version: '1' },
    paths: withParameters(
      Object.fromEntries(kept.filter(([, item]) => !isEmpty(item))),
      parameters,
    ),
    components: { schemas, responses: { File: responses.File } },
  });
}

const document = parse(await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
const options = { silent: true, defaultNonNullable: false };
const types = await openapiTS(withSchemasInline(slimmed(withoutTexts(document))), options);
// The parameters of a path stand in each of its operations too. What a path, request or response
// does not have needs no line, nor has indentation a meaning.
const slim = astToString(types)
  .replace(/^ *(?:(?!content)\w+\?|parameters|requestBodies|headers|pathItems): never;\n/gm, '')
  .replace(/^ *headers: \{\n *\[name: string\]: unknown;\n *\};\n/gm, '')
  .replace(/^ *\/\*\*.*\*\/\n/gm, '')
  .replace(/^ {8}parameters: \{\n(?: {12}.*\n)* {8}\};\n(?= {8}[a-z]+: \{)/gm, '')
  .replace(/^ *parameters: \{\n *\};\n/gm, '')
  .replace(/^export type (?:webhooks|operations|\$defs) = .*\n/gm, '')
  .replace(/^ +/gm, '');
const head =
  '/** The version and the types of openapi.yaml, written by packages/client/contract.mjs. */';
const version = `export const VERSION = '${document.info.version}';`;
const written = `${head}\n${version}\n${slim}`;
if (!process.argv.includes('--check')) await writeFile(FILE, written);
else if ((await readFile(FILE, 'utf8').catch(() => '')) !== written) {
  console.error(
    'packages/client/src/contract.gen.ts differs from openapi.yaml. Run node packages/client/contract.mjs.',
  );
  process.exitCode = 1;
}
