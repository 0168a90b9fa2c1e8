import Database from 'better-sqlite3';
import { DatabaseUnavailable } from '../errors.ts';

const ALL_PAGES = 0x7f_ff_ff_ff;
const BUSY_TIMEOUT_MS = 500;

/**
 * Copies a database that other processes can write to, in its state of one moment. All pages are
 * copied in one step: SQLite begins again when another process writes between two steps. Writers do
 * not wait for the copy.
 * @see https://www.sqlite.org/backup.html
 * @throws {DatabaseUnavailable} if another program has locked the file.
 */
export async function backUpSqlite(path: string, to: string): Promise<void> {
  const connection = new Database(path, {
    ...{ readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS },
  });
  try {
    const { totalPages } = await connection.backup(to, { progress: () => ALL_PAGES });
    // The driver takes a locked file for one without pages.
    if (totalPages === 0) throw new DatabaseUnavailable(`${path} is locked by another program`);
  } finally {
    connection.close();
  }
}
