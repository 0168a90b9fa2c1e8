/**
 * F18: failovers of Redis Cluster and of Redis with a sentinel, planned and by a crash of the
 * master, with and without REDIS_MIN_REPLICAS. Each master has two replicas.
 */
import type { Redis } from 'ioredis';
import {
  type RedisServer,
  startRedisCluster,
  startSentinelRedis,
} from '../support/servers/redis-servers.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { openBench } from './harness/bench.ts';
import type { Fault, FaultGroup, Situation } from './harness/fault.ts';

/** About 200 mails a second. */
const LOAD = { connections: 20, pauseMs: 80, largeEvery: 100, around: 300 };
/** Each connection has one mail in flight, of up to four messages. */
const IN_FLIGHT = LOAD.connections * 4;
/** From the failover to mail that is accepted again by all connections. */
const ACCEPTED_WITHIN_MS = 10_000;

interface Servers {
  servers: RedisServer[];
  url: string;
  stop: () => Promise<void>;
  sentinel?: Redis;
}

/** The servers of each bench, by its data directory. */
const running = new Map<string, Servers>();

function serversOf({ bench }: Situation): Servers {
  const found = running.get(bench.dataDir);
  if (!found) throw new Error('the bench has no servers of its own');
  return found;
}

const roleOf = async ({ client }: RedisServer) =>
  (await client.call('ROLE')) as [role: string, ...rest: unknown[]];

/** The master that has the keys of the service. */
async function masterOf(servers: RedisServer[]): Promise<RedisServer> {
  for (const server of servers) {
    const [role] = await roleOf(server);
    if (role === 'master' && (await server.client.dbsize()) > 0) return server;
  }
  throw new Error('no master has keys');
}

async function replicasOf(servers: RedisServer[], master: RedisServer): Promise<RedisServer[]> {
  const found: RedisServer[] = [];
  for (const server of servers) {
    const [role, , port] = await roleOf(server);
    if (role === 'slave' && port === master.port) found.push(server);
  }
  return found;
}

/**
 * An operator of a sentinel stops the writes first and waits for the replicas, because it promotes
 * one at once, and permits writes only once the former master is a replica: they would be lost.
 */
async function failOverPlanned({ servers, sentinel }: Servers, master: RedisServer): Promise<void> {
  const [replica] = await replicasOf(servers, master);
  if (!sentinel) {
    await replica?.client.call('CLUSTER', 'FAILOVER');
    return;
  }
  await master.client.call('CLIENT', 'PAUSE', 60_000, 'WRITE');
  await eventually('the replicas to have all writes', async () => {
    const info = await master.client.info('replication');
    const written = /master_repl_offset:(\d+)/.exec(info)?.[1];
    const received = [...info.matchAll(/,offset=(\d+),/g)].map(([, offset]) => offset);
    return received.every((offset) => offset === written);
  });
  await sentinel.call('SENTINEL', 'FAILOVER', 'mayfly');
}

async function failOver(situation: Situation, isPlanned: boolean): Promise<void> {
  const all = serversOf(situation);
  const master = await masterOf(all.servers);
  const began = performance.now();
  if (isPlanned) await failOverPlanned(all, master);
  else await master.kill();
  const others = all.servers.filter((server) => server !== master);
  await eventually(
    'another master',
    async () => (await masterOf(others).catch(() => null)) !== null,
    30_000,
  );
  await situation.load.accepted(2 * LOAD.connections);
  const ms = Math.round(performance.now() - began);
  if (isPlanned && all.sentinel) {
    const isReplica = async () => (await roleOf(master))[0] === 'slave';
    await eventually('the former master to be a replica', isReplica, 60_000);
    await master.client.call('CLIENT', 'UNPAUSE');
  }
  if (!isPlanned) await master.start();
  if (ms > ACCEPTED_WITHIN_MS) throw new Error(`mail was not accepted for ${ms} ms`);
  // Both replicas follow the new master before the next fault.
  const next = await masterOf(others);
  await eventually(
    'the replicas',
    async () =>
      (await next.client.info('replication')).includes('connected_slaves:2') &&
      (await replicasOf(all.servers, next)).length === 2,
    60_000,
  );
}

const faultsWith = (minReplicas: number): Fault[] => [
  {
    id: 'F18',
    title: `a planned failover, ${minReplicas} replicas asked for`,
    slow: true,
    allowed: minReplicas > 0 ? { duplicates: IN_FLIGHT } : {},
    inject: (situation) => failOver(situation, true),
  },
  {
    id: 'F18',
    title: `the master is killed, ${minReplicas} replicas asked for`,
    slow: true,
    allowed: {
      duplicates: IN_FLIGHT,
      // What the new master has not received is lost, as docs/configuration.md says.
      ...(minReplicas > 0 ? {} : { lost: Infinity, half: Infinity }),
    },
    inject: (situation) => failOver(situation, false),
  },
];

const groupOf = (kind: string, start: () => Promise<Servers>, minReplicas: number): FaultGroup => ({
  title: `failovers of ${kind}, ${minReplicas} replicas asked for`,
  load: LOAD,
  openBench: () =>
    openBench({
      env: { REDIS_MIN_REPLICAS: `${minReplicas}` },
      prepare: async (dataDir) => {
        const servers = await start();
        running.set(dataDir, servers);
        const undo = async () => {
          running.delete(dataDir);
          await servers.stop();
        };
        return { env: { REDIS_URL: servers.url }, undo };
      },
    }),
  faults: faultsWith(minReplicas),
});

export const failoverGroups: FaultGroup[] = [0, 1].flatMap((minReplicas) => [
  groupOf('Redis Cluster', () => startRedisCluster(2), minReplicas),
  groupOf('Redis with a sentinel (Cluster run)', () => startSentinelRedis(2), minReplicas),
]);
