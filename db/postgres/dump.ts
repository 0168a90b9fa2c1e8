/** Backups by pg_dump. Its version must not be older than that of the server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import type { PostgresConfig } from '../config.ts';
import { DatabaseUnavailable, messageOf } from '../errors.ts';

/**
 * Writes the file `to` in the custom format of pg_dump.
 * @param env of pg_dump, with the PATH where it is
 * @throws {DatabaseUnavailable} with the error of pg_dump, or if it is not installed.
 */
export async function dumpPostgres(
  { url, tls }: PostgresConfig,
  to: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { target, password } = withoutPassword(url);
  const ca = tls?.ca === undefined ? null : `${to}.ca`;
  if (ca !== null) await writeFile(ca, tls?.ca ?? '');
  const child = spawn(
    'pg_dump',
    ['--format=custom', '--no-password', `--file=${to}`, `--dbname=${target}`],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...env,
        ...(password && { PGPASSWORD: password }),
        ...(tls && { PGSSLMODE: tls.rejectUnauthorized ? 'verify-full' : 'require' }),
        ...(ca !== null && { PGSSLROOTCERT: ca }),
      },
    },
  );
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = (await once(child, 'close').catch((error: unknown) => {
    throw new DatabaseUnavailable(`pg_dump cannot be run: ${messageOf(error)}`);
  })) as [number | null];
  if (ca !== null) await rm(ca);
  if (code !== 0) throw new DatabaseUnavailable(errors.trim() || `pg_dump ended with ${code}`);
}

/** All users of the machine see the arguments of a process. */
function withoutPassword(url: string): { target: string; password: string } {
  const target = new URL(url);
  const password = decodeURIComponent(target.password);
  target.password = '';
  return { target: target.href, password };
}
