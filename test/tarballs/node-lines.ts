/**
 * The lines of Node.js that the packages support: the machine's own if it fits, otherwise from npm.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../core/root.ts';
import type { Machine } from './machine.ts';

export const LINES = [20, 22, 24];

/** The path of a program `node` of this line. */
export async function nodeOf({ folder, run }: Machine, line: number): Promise<string> {
  const known = ['/usr/bin/node', process.execPath, join(ROOT, `.node/${line}/bin/node`)];
  const fit = known.find((path) => existsSync(path) && lineOf(path) === line);
  if (fit !== undefined) return fit;
  const name = `node-${process.platform}-${process.arch}`;
  const place = join(folder, `node-${line}`);
  await mkdir(place);
  await run(place, 'npm', 'install', '--no-save', '--prefix', place, `${name}@${line}`);
  return join(place, 'node_modules', name, 'bin/node');
}

function lineOf(path: string): number {
  const { stdout } = spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  return Number.parseInt(stdout, 10);
}
