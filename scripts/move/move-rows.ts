/**
 * Copies one database into another of either kind, page by page: inserts missing rows, replaces
 * different rows and removes rows that the source does not have. The copy can be interrupted and
 * run again.
 */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../core/errors.ts';
import {
  type AnyRow,
  type CopiedTable,
  copiedTables,
  countRows,
  idsAfter,
  idsAmong,
  removeRows,
  replaceRow,
  rowsAfter,
  rowsWithIds,
} from '../../db/statements/copy.ts';
import { type Store, insertIgnoring, query } from '../../db/store.ts';

const PAGE = 500;
/** Wide rows can have several MiB each. */
const PAGE_OF_WIDE_ROWS = 20;
const WIDE: CopiedTable[] = ['mails', 'attachments'];

export interface MovedTable {
  name: CopiedTable;
  inserted: number;
  replaced: number;
  removed: number;
  /** Rows in the source after the copy. */
  total: number;
}

/** @throws {AppError} `unavailable` if the two databases differ after the copy. */
export async function moveRows(from: Store, to: Store): Promise<MovedTable[]> {
  const names = copiedTables(from.db);
  const removed = new Map<CopiedTable, number>();
  for (const name of names.toReversed()) removed.set(name, await removeGone(from, to, name));
  const moved: MovedTable[] = [];
  for (const name of names) {
    const counts = await moveTable(from, to, name);
    moved.push({ name, ...counts, removed: removed.get(name) ?? 0, total: 0 });
  }
  for (const table of moved) table.total = await sameCount(from, to, table.name);
  return moved;
}

async function removeGone(from: Store, to: Store, name: CopiedTable): Promise<number> {
  let removed = 0;
  let last = '';
  for (;;) {
    const page = idsOf(await to.query(idsAfter, name, last, PAGE));
    if (page.length === 0) return removed;
    const kept = new Set(idsOf(await from.query(idsAmong, name, page)));
    const gone = page.filter((id) => !kept.has(id));
    if (gone.length > 0) {
      await to.transaction(function* (tx) {
        yield* query(removeRows(tx, name, gone));
      });
    }
    removed += gone.length;
    last = page.at(-1) ?? '';
  }
}

async function moveTable(from: Store, to: Store, name: CopiedTable) {
  const counts = { inserted: 0, replaced: 0 };
  let last = '';
  for (;;) {
    const limit = WIDE.includes(name) ? PAGE_OF_WIDE_ROWS : PAGE;
    const rows = (await from.query(rowsAfter, name, last, limit)) as AnyRow[];
    if (rows.length === 0) return counts;
    last = rows.at(-1)?.id ?? '';
    const there = (await to.query(rowsWithIds, name, idsOf(rows))) as AnyRow[];
    const known = new Map(there.map((row) => [row.id, row]));
    const missing = rows.filter(({ id }) => !known.has(id));
    const changed = rows.filter(
      (row) => known.has(row.id) && !isDeepStrictEqual(row, known.get(row.id)),
    );
    if (missing.length === 0 && changed.length === 0) continue;
    await to.transaction(function* (tx) {
      for (const row of changed) yield* query(replaceRow(tx, name, row));
      const inserted = yield* insertIgnoring(tx.t[name], missing as never[]);
      if (inserted.size < missing.length) {
        throw new AppError(
          'unavailable',
          `${name}: other rows in the new database conflict with the copied rows`,
        );
      }
    });
    counts.inserted += missing.length;
    counts.replaced += changed.length;
  }
}

async function sameCount(from: Store, to: Store, name: CopiedTable): Promise<number> {
  const [[source], [target]] = await Promise.all([
    from.query(countRows, name),
    to.query(countRows, name),
  ]);
  if (source?.count !== target?.count) {
    throw new AppError(
      'unavailable',
      `${name}: the source has ${source?.count ?? 0} rows, the target ${target?.count ?? 0}. ` +
        'Stop all web and worker processes, then run this command again',
    );
  }
  return source?.count ?? 0;
}

function idsOf(rows: Record<string, unknown>[]): string[] {
  return (rows as AnyRow[]).map(({ id }) => id);
}
