/**
 * Runs a command with a temporary PostgreSQL server in TEST_POSTGRES_URL, and exits with its exit
 * code.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startPostgres } from './postgres-server.js';
import { makeTemplate } from '../context/test-database.js';

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error('usage: with-postgres COMMAND [ARGUMENT...]');

const server = await startPostgres();
try {
  await makeTemplate(server.url);
  const env = { ...process.env, TEST_POSTGRES_URL: server.url };
  const child = spawn(command, args, { stdio: 'inherit', env });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await server.stop();
}
