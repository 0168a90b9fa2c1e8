/**
 * `scripts/check`: regular expressions that take more than linear time, by recheck.
 *
 *   node test/structure/lint-patterns.ts                all source files
 *   node test/structure/lint-patterns.ts FILE...        these files
 *   node test/structure/lint-patterns.ts --write        all; writes the list of linear patterns
 *
 * Literals are read from the syntax tree, which must not hide a pattern: by another name of
 * `RegExp`, or in a text that is matched. Patterns that are built from constants are found by
 * loading the modules. Calls that no load reaches, because a function makes
 * them, are on the accepted list. Linear patterns are listed by checksum in patterns/linear.txt,
 * because the analysis of all takes two minutes: it saves time only, and a pattern that is not
 * listed is analyzed. `accepted.json` lists the others, each with the bound of its input.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { constructedBy } from './patterns/constructed.ts';
import { type Construction, type Pattern, literalsOf } from './patterns/literals.ts';
import { checksumOf, openVerdicts, written } from './patterns/verdicts.ts';

interface Accepted {
  file: string;
  /** A pattern with its flags, or the call that builds one. */
  pattern: string;
  /** Why its time is bounded. */
  bound: string;
}

const FOLDERS = /^(?:api|core|dashboard|db|haraka-plugin|jobs|packages|scripts)\//;
const SOURCE = /(?<!\.gen|\.d)\.(?:ts|tsx|mjs|js)$/;
/**
 * Programs, which start when loaded, and modules for browsers. Only their literals are read, and of
 * packages for test runners what calls RegExp is loaded too.
 */
const NOT_LOADED =
  /^(?:dashboard|scripts)\/|^(?:api\/server|jobs\/worker|haraka-plugin\/server|core\/parser-child|core\/process\/watch-thread|packages\/cli\/src\/mayfly)\.ts$|\.m?js$/;
const LINEAR = 'test/structure/patterns/linear.txt';
const ACCEPTED = 'test/structure/patterns/accepted.json';

const given = process.argv.slice(2).filter((argument) => argument !== '--write');
const isAll = given.length === 0;
const files = (isAll ? sourceFiles() : given).filter((file) => SOURCE.test(file));
const { literals, constructions, hidden } = await literalsOf(files);
const building = new Set(constructions.map(({ file }) => file));
const isLoaded = (file: string) =>
  !NOT_LOADED.test(file) && (building.has(file) || !file.startsWith('packages/'));
const constructed = await constructedBy(files.filter(isLoaded));
const reached = new Set(constructed.map(({ place }) => place));
const accepted = JSON.parse(await readFile(ACCEPTED, 'utf8')) as Accepted[];
const used = new Set<Accepted>();
const faults: string[] = [];

for (const { file, line, text } of hidden) {
  faults.push(`${file}:${line} ${text}\n    hides a pattern: write a literal, or call RegExp`);
}
for (const call of constructions) {
  if (!reached.has(call.place) && !isAccepted(call, call.text)) {
    faults.push(
      `${call.file}:${call.line} ${call.text}\n    is built by a function: build it when the module is loaded`,
    );
  }
}
const linear = new Set((await readFile(LINEAR, 'utf8')).split('\n'));
const patterns = [...literals, ...constructed.filter(({ file }) => files.includes(file))];
const verdicts = await openVerdicts('dist/.cache/patterns.json');
const found = new Set<string>();
for (const pattern of patterns) {
  if (isAccepted(pattern, written(pattern))) continue;
  const verdict = linear.has(checksumOf(pattern)) ? 'linear' : verdicts.of(pattern);
  if (verdict === 'linear') found.add(checksumOf(pattern));
  else faults.push(`${pattern.file}:${pattern.line} ${written(pattern)}\n    ${verdict}`);
}
await verdicts.save();
if (process.argv.includes('--write')) await writeFile(LINEAR, [...found].sort().join('\n') + '\n');

for (const entry of accepted) {
  if (!used.has(entry) && (isAll || files.includes(entry.file))) {
    faults.push(`${ACCEPTED}: ${entry.file} has no ${entry.pattern} that needs to be accepted`);
  }
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) {
  process.stderr.write(
    `\nMake the patterns linear, or bound their input and add them to ${ACCEPTED} with that bound.\n`,
  );
}
process.exit(faults.length > 0 ? 1 : 0);

function sourceFiles(): string[] {
  const shown = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', shown, { encoding: 'utf8' }).trim().split('\n');
  return listed.filter((file) => FOLDERS.test(file) && existsSync(file));
}

function isAccepted({ file }: Pattern | Construction, pattern: string): boolean {
  const entries = accepted.filter((entry) => entry.file === file && entry.pattern === pattern);
  for (const entry of entries) used.add(entry);
  return entries.length > 0;
}
