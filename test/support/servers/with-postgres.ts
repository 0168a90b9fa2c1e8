/**
 * `with-postgres [--durable] COMMAND [ARGUMENT...]`: runs a command with a temporary PostgreSQL
 * server in TEST_POSTGRES_URL, and exits with its exit code. `--durable` measures what production
 * has: the server flushes commits to disk and vacuums.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startPostgres } from './postgres-server.ts';
import { makeTemplate } from '../context/test-database.ts';
import { endLap, noteServers } from '../../runner/meter.ts';

const given = process.argv.slice(2);
const durable = given[0] === '--durable';
const [command, ...args] = durable ? given.slice(1) : given;
if (command === undefined) {
  throw new Error('usage: with-postgres [--durable] COMMAND [ARGUMENT...]');
}

const server = await startPostgres({ durable });
try {
  await makeTemplate(server.url);
  endLap('');
  const env = { ...process.env, TEST_POSTGRES_URL: server.url };
  const child = spawn(command, args, { stdio: 'inherit', env });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
  noteServers();
} finally {
  await server.stop();
}
