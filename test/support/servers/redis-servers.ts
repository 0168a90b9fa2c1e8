/** Several Redis servers on this machine: a master with replicas and a sentinel, or a cluster. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { eventually } from '../mocha/eventually.ts';
import { freePort } from './free-port.ts';
import { type TempDir, makeTempDir } from '../context/temp-dir.ts';

const SLOTS = 16_384;
const MASTERS = 3;

export interface RedisServer {
  readonly port: number;
  /** A client of this server that reconnects after crashes. */
  readonly client: Redis;
  readonly start: () => Promise<void>;
  /** Ends it with SIGKILL. */
  readonly kill: () => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
}

interface RedisServers {
  /** A value for REDIS_URL. */
  readonly url: string;
  readonly servers: RedisServer[];
  readonly stop: () => Promise<void>;
}

/** A master, the first server, and a number of replicas. `url` is that of the master. */
export async function startReplicatedRedis(replicas: number): Promise<RedisServers> {
  const folder = await makeTempDir();
  const master = await startServer(folder);
  const others = await Promise.all(
    Array.from({ length: replicas }, () => startServer(folder, replicaOf(master))),
  );
  await eventually('the replicas', async () =>
    (await master.client.info('replication')).includes(`connected_slaves:${replicas}`),
  );
  return together(`redis://127.0.0.1:${master.port}`, [master, ...others], folder);
}

/**
 * A master, the first server, replicas, and a sentinel that promotes one 500 ms after a crash.
 * `SENTINEL` commands go to `sentinel`.
 */
export async function startSentinelRedis(
  replicas = 1,
): Promise<RedisServers & { readonly sentinel: Redis }> {
  const { servers, stop, url } = await startReplicatedRedis(replicas);
  const folder = await makeTempDir();
  const port = await freePort();
  const file = join(folder.path, 'sentinel.conf');
  await writeFile(
    file,
    `port ${port}\nbind 127.0.0.1\ndir ${folder.path}\nsentinel monitor mayfly 127.0.0.1 ${new URL(url).port} 1\n` +
      'sentinel down-after-milliseconds mayfly 500\nsentinel failover-timeout mayfly 3000\n',
  );
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  const sentinel = clientOf(port);
  // The sentinel gets its replicas from the master, and can promote only those that it knows.
  await eventually('the sentinel to know the replicas', async () => {
    const known = await sentinel.call('SENTINEL', 'REPLICAS', 'mayfly').catch(() => []);
    return (known as unknown[]).length === replicas;
  });
  return {
    sentinel,
    url: `redis+sentinel://127.0.0.1:${port}/mayfly`,
    servers,
    stop: async () => {
      sentinel.disconnect();
      await ended(child);
      await stop();
      await folder.remove();
    },
  };
}

/** A cluster of three masters, each with a number of replicas. */
export async function startRedisCluster(replicas = 0): Promise<RedisServers> {
  const folder = await makeTempDir();
  const busPorts = await Promise.all(
    Array.from({ length: MASTERS * (1 + replicas) }, () => freePort()),
  );
  const servers = await Promise.all(
    busPorts.map((busPort) =>
      startServer(folder, [
        ...['--cluster-enabled', 'yes', '--cluster-port', `${busPort}`],
        ...['--cluster-node-timeout', '2000'],
      ]),
    ),
  );
  const size = Math.ceil(SLOTS / MASTERS);
  for (const [n, { client }] of servers.entries()) {
    const last = Math.min((n + 1) * size, SLOTS) - 1;
    if (n < MASTERS) await client.call('CLUSTER', 'ADDSLOTSRANGE', n * size, last);
    await client.call('CLUSTER', 'MEET', '127.0.0.1', servers[0]!.port, busPorts[0]!);
  }
  for (const [n, { client }] of servers.slice(MASTERS).entries()) {
    const master = await servers[n % MASTERS]!.client.cluster('MYID');
    await eventually('a replica to know its master', () =>
      client.call('CLUSTER', 'REPLICATE', master).then(
        () => true,
        () => false,
      ),
    );
  }
  await eventually('the cluster', async () => {
    const states = await Promise.all(servers.map(({ client }) => client.cluster('INFO')));
    return states.every(
      (state) =>
        state.includes('cluster_state:ok') &&
        state.includes(`cluster_known_nodes:${servers.length}`),
    );
  });
  const places = servers.map(({ port }) => `127.0.0.1:${port}`);
  return together(`redis+cluster://${places.join(',')}`, servers, folder);
}

function together(url: string, servers: RedisServer[], folder: TempDir): RedisServers {
  return {
    url,
    servers,
    stop: async () => {
      for (const { client, kill } of servers) {
        client.disconnect();
        await kill();
      }
      await folder.remove();
    },
  };
}

const replicaOf = ({ port }: RedisServer) => ['--replicaof', '127.0.0.1', `${port}`];

/** @param options take precedence over the usual ones */
export async function startServer(
  folder: TempDir,
  options: string[] | ((port: number) => string[]) = [],
  clientOptions: RedisOptions = {},
): Promise<RedisServer> {
  const port = await freePort();
  const dir = join(folder.path, `${port}`);
  await mkdir(dir);
  let child: ChildProcess | undefined;
  const client = clientOf(port, clientOptions);
  const start = async () => {
    child = spawn(
      'redis-server',
      ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir, '--save', ''].concat([
        ...['--appendonly', 'yes', '--appendfsync', 'always'],
        ...['--maxmemory-policy', 'noeviction', '--repl-diskless-sync-delay', '0'],
        ...(typeof options === 'function' ? options(port) : options),
      ]),
      { stdio: 'ignore' },
    );
    await client.ping();
  };
  await start();
  return {
    port,
    client,
    start,
    kill: async () => {
      if (child) await ended(child);
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}

function clientOf(port: number, options: RedisOptions = {}): Redis {
  const client = new Redis(port, '127.0.0.1', {
    maxRetriesPerRequest: null,
    retryStrategy: () => 20,
    ...options,
  });
  client.on('error', () => undefined); // the server does not listen yet, or a test has ended it
  return client;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
