/**
 * Writes src/contract.gen.ts: the version and the types of openapi.yaml, without its texts. A
 * response other than 2xx becomes an exception, so it has no type.
 */
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import { parse } from 'yaml';

const document = parse(await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
for (const operation of Object.values(document.paths).flatMap(Object.values)) {
  if (!operation.responses) continue;
  const responses = Object.entries(operation.responses).filter(([status]) => status < '300');
  operation.responses = Object.fromEntries(responses);
}
const types = astToString(await openapiTS(document, { silent: true, defaultNonNullable: false }));
await writeFile(
  new URL('src/contract.gen.ts', import.meta.url),
  [
    `export const VERSION = '${document.info.version}';\n`,
    types.replaceAll(/^ *\/\*\*[^]*?\*\/\n/gm, ''),
  ].join(''),
);
