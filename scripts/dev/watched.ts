/**
 * Runs one process of `npm run dev`: `watched.ts [FLAG OF NODE...] PROGRAM`. The program is killed
 * and started again when a file that it has loaded is saved. If it ends by itself, the next save
 * starts it.
 *
 * `node --watch` watches files, and loses one that is replaced by rename, as `sed -i`,
 * `git checkout` and most editors do. This watches the folders of the files.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { type FSWatcher, watch } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { ROOT } from '../../core/root.ts';

/** A save is several events, and `git checkout` saves many files. */
const SETTLED_AFTER_MS = 100;
/** `up` does not judge a process that has answered so as one that hangs. */
const NOT_JUDGED = { alive: { isInspected: true } };
const LOADED_FIRST = ['quick-imports.ts', 'report-loaded.ts'].flatMap((file) => [
  '--import',
  pathToFileURL(join(ROOT, 'scripts/dev', file)).href,
]);

const loadedMessage = z.object({ loaded: z.string() });
const args = process.argv.slice(2);
/** Of all runs: a program that fails has not loaded all of its files. */
const loaded = new Set<string>();
const folders = new Map<string, FSWatcher>();
let program: ChildProcess | null = null;
let settled: NodeJS.Timeout | undefined;
let isReplaced = false;
let isStopping = false;

function start(): void {
  isReplaced = false;
  const child = spawn(process.execPath, [...LOADED_FIRST, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, MAYFLY_WATCHED_BY: `${process.pid}` },
  });
  program = child;
  child.on('message', (message) => {
    const report = loadedMessage.safeParse(message);
    if (report.success) follow(report.data.loaded);
    else process.send?.(message);
  });
  child.once('exit', (code, signal) => {
    program = null;
    if (isStopping) process.exit(code ?? 1);
    if (isReplaced) {
      start();
      return;
    }
    process.send?.(NOT_JUDGED);
    process.stdout.write(`Ended (${signal ?? `exit code ${code}`}). The next save starts it.\n`);
  });
}

function follow(file: string): void {
  loaded.add(file);
  watchFolder(dirname(file));
}

function watchFolder(folder: string): void {
  if (folders.has(folder)) return;
  try {
    const onEvent = (_event: string, changed: string | null) => {
      if (changed !== null) saved(join(folder, changed));
    };
    folders.set(folder, watch(folder, onEvent));
  } catch {
    // A checkout has removed it. Whatever brings it back also saves the files that import from it.
  }
}

function saved(file: string): void {
  // A program that is down can lack a file that it has never loaded.
  if (isStopping || (program && !loaded.has(file))) return;
  clearTimeout(settled);
  settled = setTimeout(restart, SETTLED_AFTER_MS, file);
}

function restart(file: string): void {
  process.stdout.write(`Restarting after a change of ${relative(ROOT, file)}\n`);
  // A folder that was replaced has lost its watcher.
  for (const watcher of folders.values()) watcher.close();
  folders.clear();
  for (const known of loaded) watchFolder(dirname(known));
  isReplaced = true;
  if (program) program.kill('SIGKILL');
  else start();
}

function stop(): void {
  isStopping = true;
  if (program) program.kill('SIGTERM');
  else process.exit(0);
}

process.on('message', (message) => {
  if (program?.connected) program.send(message as object);
  else process.send?.(NOT_JUDGED);
});
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(signal, stop);
start();
