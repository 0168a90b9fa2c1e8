/**
 * Incremental vacuum. Free pages stay in the file and are reused first, so the file does not grow
 * under a steady load. After a peak, free pages above a reserve are truncated in small steps:
 * SQLite moves the last pages to free ones under the write lock (sqlite.org/pragma.html,
 * "incremental_vacuum").
 */
import type Database from 'better-sqlite3';

/** Reserve of free pages: a share of the file, and at least 8 MiB. */
const RESERVED_RATIO = 0.1;
const RESERVED_PAGES = 2048;

/**
 * Truncates at most `pages` free pages above the reserve; `count` is the number of truncated pages.
 */
export function incrementalVacuum(
  connection: Database.Database,
  pages: number,
): { count: number; heldMs: number } {
  const read = (pragma: string) => connection.pragma(pragma, { simple: true }) as number;
  const reserved = Math.max(RESERVED_PAGES, read('page_count') * RESERVED_RATIO);
  const before = read('freelist_count');
  const wanted = Math.min(pages, Math.floor(before - reserved));
  if (wanted <= 0) return { count: 0, heldMs: 0 };
  const began = performance.now();
  connection.pragma(`incremental_vacuum(${wanted})`);
  const heldMs = performance.now() - began;
  // A file without `auto_vacuum` keeps its pages. The count of 0 ends the loop of the caller.
  return { count: before - read('freelist_count'), heldMs };
}
