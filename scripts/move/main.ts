/** `npm run move`: copies the database and the blobs to another location. */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual, parseArgs, parseEnv } from 'node:util';
import { openBlobs } from '../../core/blobs/disk.ts';
import type { Config } from '../../core/config/config.ts';
import { AppError, errorText } from '../../core/errors.ts';
import { failStart, loadConfig } from '../../core/process/run-process.ts';
import { openInstance } from '../../core/instance/instance.ts';
import { acquireBlobStoreOwnership } from '../../core/instance/ownership.ts';
import { ROOT } from '../../core/root.ts';
import { migrateStore, openStore, requireDatabase } from '../../db/open.ts';
import type { Store } from '../../db/store.ts';
import { openScriptLog } from '../cli/run-script.ts';
import { commandLine } from '../command-line.ts';
import { type MovedBlobs, moveBlobs } from './move-blobs.ts';
import { type MovedTable, moveRows } from './move-rows.ts';
import { reserveTarget, finishTarget, requireNoWorker, requireSameKeys } from './checks.ts';

const USAGE = `usage: ${commandLine('move')} --to FILE
  FILE contains the variables that differ in the new location, one NAME=VALUE a line.`;

async function main(): Promise<void> {
  const from = loadConfig('script');
  const to = loadConfig('script', targetVariables(process.argv.slice(2)));
  requireSameKeys(from.keyring, to.keyring);
  await requireNoWorker(from, openScriptLog());
  await requireDatabase(from);
  await migrateStore(from, ROOT);
  const source = await openStore(from);
  try {
    const instanceId = await openInstance(source);
    const moved = isDeepStrictEqual(from.database, to.database)
      ? { tables: null, files: await blobs(from, to, instanceId) }
      : await rowsAndBlobs(source, from, to, instanceId);
    process.stdout.write(report(moved.tables, moved.files));
  } finally {
    await source.close();
  }
}

/**
 * Reads the variables from the file that the command line names.
 * @throws {AppError} `invalid_request` for an invalid command line or an unreadable file.
 */
function targetVariables(args: string[]): NodeJS.ProcessEnv {
  try {
    const { to } = parseArgs({ args, options: { to: { type: 'string' } } }).values;
    if (to === undefined) throw new Error('--to is required');
    return parseEnv(readFileSync(to, 'utf8'));
  } catch (error) {
    throw new AppError('invalid_request', `${errorText(error)}\n${USAGE}`);
  }
}

async function rowsAndBlobs(source: Store, from: Config, to: Config, instanceId: string) {
  await migrateStore(to, ROOT);
  const target = await openStore(to);
  try {
    await reserveTarget(target, instanceId);
    const tables = await moveRows(source, target);
    const files = await blobs(from, to, instanceId);
    await finishTarget(target);
    return { tables, files };
  } finally {
    await target.close();
  }
}

/** Null if the blobs stay where they are. */
async function blobs(from: Config, to: Config, instanceId: string): Promise<MovedBlobs | null> {
  const isSame = from.s3 || to.s3 ? isDeepStrictEqual(from.s3, to.s3) : from.dataDir === to.dataDir;
  if (isSame) return null;
  const source = await openBlobs(from);
  const target = await openBlobs(to);
  try {
    await acquireBlobStoreOwnership(instanceId, target);
    return await moveBlobs(source, target);
  } finally {
    await source.close();
    await target.close();
  }
}

function report(tables: MovedTable[] | null, files: MovedBlobs | null): string {
  const line = (cells: (string | number)[]) =>
    cells.map((cell, n) => (n === 0 ? String(cell).padEnd(18) : String(cell).padStart(9))).join('');
  const lines = [
    ...(tables
      ? [
          line(['table', 'new', 'changed', 'removed', 'total']),
          ...tables.map((table) =>
            line([table.name, table.inserted, table.replaced, table.removed, table.total]),
          ),
        ]
      : ['Database: not copied, both locations are the same.']),
    files
      ? `Blobs: ${files.copied} copied, ${files.total} total.`
      : 'Blobs: not copied, both locations are the same.',
    files?.late
      ? `${files.late} blobs were added during the copy. Start smtp with the new variables, then run this command again.`
      : 'The copy is complete. If smtp still runs with the old variables, start it with the new ones, then run this command again.',
  ];
  return `${lines.join('\n')}\n`;
}

main().catch(failStart);
