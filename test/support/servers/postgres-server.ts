/**
 * A PostgreSQL server in a temporary folder. Unless it is durable, its data survives crashes of its
 * processes, but not of the machine. It cannot run as root: there it runs as the user `postgres` of
 * its package.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { makeTempDir } from '../context/temp-dir.ts';

const PACKAGES = '/usr/lib/postgresql';
const START_DEADLINE_MS = 30_000;
const COMMON_SETTINGS = ['listen_addresses=127.0.0.1', 'max_connections=300'];
/**
 * No disk flushes, no background work: each test has few rows. Shared memory is in the folder of
 * the server, because the segments of a killed one stay in /dev/shm.
 */
const TEST_SETTINGS = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
  'shared_buffers=64MB',
  'dynamic_shared_memory_type=mmap',
];

export interface PostgresServer {
  /** URL of its database `postgres`. */
  readonly url: string;
  readonly start: () => Promise<void>;
  /** Ends it with SIGQUIT, which skips the shutdown checkpoint. */
  readonly kill: () => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly stop: () => Promise<void>;
}

/** @param durable uses the defaults of PostgreSQL: data survives a crash of the machine. */
export async function startPostgres({ durable = false } = {}): Promise<PostgresServer> {
  const dir = await makeTempDir();
  const data = join(dir.path, 'postgres');
  const owner = ownerOfServers();
  if (owner) chownSync(dir.path, owner.uid, owner.gid);
  const options = { stdio: 'ignore', cwd: dir.path, ...owner } as const;
  const program = (name: string) => programs().get(name) ?? name;
  execFileSync(
    program('initdb'),
    ['--no-sync', '--auth=trust', '--username=mayfly', '--encoding=UTF8', '--locale=C', data],
    options,
  );
  const port = await freePort();
  const url = `postgres://mayfly@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;

  const start = async () => {
    const settings = [
      ...COMMON_SETTINGS,
      `unix_socket_directories=${dir.path}`,
      ...(durable ? [] : TEST_SETTINGS),
    ].flatMap((setting) => ['-c', setting]);
    child = spawn(program('postgres'), ['-D', data, '-p', String(port), ...settings], options);
    await answers(url);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };

  await start();
  return {
    url,
    start,
    kill: () => end('SIGQUIT'),
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    stop: async () => {
      await end('SIGQUIT');
      await dir.remove();
    },
  };
}

function ownerOfServers(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Debian installs the programs of the server outside PATH, in one folder per version. */
function programs(): Map<string, string> {
  const versions = existsSync(PACKAGES) ? readdirSync(PACKAGES) : [];
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined) return new Map();
  const folder = join(PACKAGES, newest, 'bin');
  return new Map(readdirSync(folder).map((name) => [name, join(folder, name)]));
}

async function answers(url: string): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}
