/**
 * `test/long structure`: the imports between folders, the imports that .dependency-cruiser.js
 * forbids, and the number and size of the source files. Tests, generated files and the dashboard
 * are left out.
 */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type ICruiseResult, type IModule, cruise } from 'dependency-cruiser';
import { readRules } from './rules.ts';

const FOLDERS = ['api', 'core', 'db', 'haraka-plugin', 'jobs', 'scripts'];
const SOURCE = new RegExp(`^(?:${FOLDERS.join('|')})/(?!dashboard/).*\\.ts$`);

const { output } = await cruise(FOLDERS, await readRules('.dependency-cruiser.js'));
const { modules, summary } = output as ICruiseResult;
const sources = modules.filter(({ source }) => SOURCE.test(source) && isOurs(source));

printImports(sources);
printFiles(await Promise.all(sources.map(async ({ source }) => lengthOf(source))));
const cycles = summary.violations.filter(({ rule }) => rule.name === 'no-cycles').length;
console.log(`\n${cycles} cycles, ${summary.violations.length - cycles} other forbidden imports`);
for (const { from, to, rule } of summary.violations)
  console.log(`  ${rule.name}: ${from} -> ${to}`);

function isOurs(path: string): boolean {
  return !path.endsWith('.gen.ts');
}

function printImports(files: IModule[]): void {
  const counts = new Map<string, { imports: number; types: number }>();
  for (const { source, dependencies } of files) {
    for (const { resolved, dependencyTypes } of dependencies) {
      const [from, to] = [dirname(source), dirname(resolved)];
      if (!SOURCE.test(resolved) || from === to) continue;
      const edge = `${from} -> ${to}`;
      const { imports, types } = counts.get(edge) ?? { imports: 0, types: 0 };
      const isType = dependencyTypes.includes('type-only');
      counts.set(edge, { imports: imports + 1, types: types + Number(isType) });
    }
  }
  console.log('Imports between folders (of these, types only)');
  for (const [edge, { imports, types }] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`  ${edge}: ${imports} (${types})`);
  }
}

async function lengthOf(path: string): Promise<{ path: string; lines: number }> {
  return { path, lines: (await readFile(path, 'utf8')).split('\n').length - 1 };
}

function printFiles(files: { path: string; lines: number }[]): void {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  console.log('\nFiles by folder');
  for (const [folder, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`  ${folder}: ${count}`);
  }
  const lines = files.map((file) => file.lines).sort((a, b) => a - b);
  const at = (part: number) => lines[Math.min(lines.length - 1, Math.floor(lines.length * part))];
  const total = lines.reduce((sum, count) => sum + count, 0);
  console.log(
    `\n${files.length} files, ${total} lines; lines a file: median ${at(0.5) ?? 0}, ` +
      `90th percentile ${at(0.9) ?? 0}, maximum ${lines.at(-1) ?? 0}`,
  );
}
