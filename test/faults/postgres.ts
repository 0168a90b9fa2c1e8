/** F7 on PostgreSQL: the server crashes, hangs, or closes every connection. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../support/servers/postgres-server.ts';
import { makeTemplate } from '../support/context/test-database.ts';
import { openBench } from './harness/bench.ts';
import type { Fault, FaultGroup } from './harness/fault.ts';

/** Longer than the database timeout of jobs and requests. */
const AWAY_MS = 7000;

const servers = new Map<string, PostgresServer>();
const serverOf = (dataDir: string): PostgresServer => servers.get(dataDir)!;

const faults: Fault[] = [
  {
    id: 'F7',
    title: 'PostgreSQL is killed, and is down for longer than any timeout',
    inject: async ({ bench, load }) => {
      await serverOf(bench.dataDir).kill();
      await load.accepted(10);
      await delay(AWAY_MS);
      await serverOf(bench.dataDir).start();
    },
  },
  {
    id: 'F7',
    title: 'PostgreSQL is killed repeatedly while mail is stored',
    slow: true,
    inject: async ({ bench, load }) => {
      for (let time = 0; time < 5; time += 1) {
        await load.accepted(5);
        await serverOf(bench.dataDir).kill();
        await serverOf(bench.dataDir).start();
      }
    },
  },
  {
    id: 'F7',
    title: 'every connection to PostgreSQL is closed while mail is stored',
    inject: async ({ bench, load }) => {
      const client = new pg.Client({ connectionString: serverOf(bench.dataDir).url });
      await client.connect();
      for (let time = 0; time < 10; time += 1) {
        await load.accepted(3);
        await client.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()',
        );
      }
      await client.end();
    },
  },
];

export const postgresGroup: FaultGroup = {
  title: 'PostgreSQL crashes or closes connections',
  openBench: () =>
    openBench({
      prepare: async (dataDir) => {
        const server = await startPostgres();
        servers.set(dataDir, server);
        const DATABASE_URL = await makeTemplate(server.url);
        const undo = async () => {
          servers.delete(dataDir);
          await server.stop();
        };
        return { env: { DATABASE_URL }, undo };
      },
    }),
  faults,
};
