/**
 * Only a database in UTF8 stores every mail. One in another encoding refuses characters that it
 * does not have, and SQL_ASCII knows no characters: it counts, cuts and folds bytes.
 */
import type pg from 'pg';
import { DatabaseUnavailable } from '../errors.ts';

/** @throws {DatabaseUnavailable} if the database has another encoding. */
export async function requireUtf8(
  query: (text: string) => Promise<pg.QueryResult<{ server_encoding: string }>>,
): Promise<void> {
  const { rows } = await query('show server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new DatabaseUnavailable(
    `The PostgreSQL database of DATABASE_URL has the encoding ${encoding}. Mayfly needs UTF8: ` +
      'create a database with "encoding \'UTF8\' template template0".',
  );
}
