/**
 * A page whose rows are gone stays in the file, on the free list, and is the next to be written. Under a
 * steady load the file thus stops growing by itself; after a peak, what will not be needed soon is cut off
 * its end, a few pages at a time: the last pages are moved to where the free ones are, under the write lock.
 */
import type Database from 'better-sqlite3';

/** Kept free for what comes next: a part of the file, and at least 8 MiB. */
const RESERVED_PART = 0.1;
const RESERVED_PAGES = 2048;

/** Cuts off up to so many free pages above the reserve; `count` is how many went. */
export function releaseSpace(
  connection: Database.Database,
  pages: number,
): { count: number; heldMs: number } {
  const read = (pragma: string) => connection.pragma(pragma, { simple: true }) as number;
  const reserved = Math.max(RESERVED_PAGES, read('page_count') * RESERVED_PART);
  const before = read('freelist_count');
  const wanted = Math.min(pages, Math.floor(before - reserved));
  if (wanted <= 0) return { count: 0, heldMs: 0 };
  const began = performance.now();
  connection.pragma(`incremental_vacuum(${wanted})`);
  const heldMs = performance.now() - began;
  // A file that was not made for it (`auto_vacuum`) keeps them all, and must not be asked for ever.
  return { count: before - read('freelist_count'), heldMs };
}
