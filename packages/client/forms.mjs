/**
 * Writes the two forms of each ES module in dist/, NAME.js: as it is to NAME.mjs, and as CommonJS
 * to NAME.js. Only imports and exports differ, so that the tarball compresses the second form to a
 * few bytes. Vitest is an ES module only.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';

const FOLDER = new URL('dist/', import.meta.url);
const ES_ONLY = ['vitest'];
/** A hint for bundlers about expressions that they keep anyway. */
const PURE = '/* @__PURE__ */ ';

/** `{a as b,c}` as properties of an object: `a:b,c`. */
const imported = (names) => names.replaceAll(' as ', ':');
const exported = (names) => names.replaceAll(/([\w$]+) as ([\w$]+)/g, '$2:$1');

/** @throws for an import or export in a form that the bundler does not write today. */
function commonJs(code, name) {
  const converted = code
    .replaceAll(PURE, ' ')
    .replaceAll(/\bimport ([\w$]+) from("[^"]+");/g, 'const{default:$1}=require($2);')
    .replaceAll(
      /\bimport\{([^}]+)\}from("[^"]+");/g,
      (_, names, from) => `const{${imported(names)}}=require(${from});`,
    )
    .replace(/\bexport\{([^}]+)\};\s*$/, (_, names) => `module.exports={${exported(names)}};`);
  if (/\bimport[ {*"]|\bexport[ {*]/.test(converted) || !converted.includes('module.exports')) {
    throw new Error(
      `dist/${name}.js has an import or export that packages/client/forms.mjs does not know`,
    );
  }
  return `"use strict";${converted}`;
}

for (const file of await readdir(FOLDER)) {
  const name = file.replace(/\.js$/, '');
  if (name === file) continue;
  const path = new URL(file, FOLDER);
  const code = await readFile(path, 'utf8');
  // The subpaths import the client of their own form.
  const esModule = code.replaceAll('"./index.js"', '"./index.mjs"').replaceAll(PURE, ' ');
  await writeFile(new URL(`${name}.mjs`, FOLDER), esModule);
  if (ES_ONLY.includes(name)) await rm(path);
  else await writeFile(path, commonJs(code, name));
}
