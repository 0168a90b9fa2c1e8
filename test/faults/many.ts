/** F17: two of each process over a Redis Cluster, PostgreSQL and S3, with crashes of some. */
import { setTimeout as delay } from 'node:timers/promises';
import { schedule } from '../../core/retention/schedule.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import { type RedisServer, startRedisCluster } from '../support/servers/redis-servers.ts';
import { startS3 } from '../support/servers/s3.ts';
import { followEvents } from '../support/clients/event-stream.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { makeTemplate } from '../support/context/test-database.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { type Bench, type ProcessName, openBench } from './harness/bench.ts';
import type { Fault, FaultGroup, Situation } from './harness/fault.ts';
import { shownIn } from './harness/mailboxes.ts';

/** The servers of each bench, by its data directory. */
const clusters = new Map<string, RedisServer[]>();

const FIRST: ProcessName[] = ['web', 'worker.1', 'smtp'];
const SECOND: ProcessName[] = ['web2', 'worker.2', 'smtp2'];
const RANDOM_KILLS = 15;
const AUTH_FAILURES = 20;
const HEARD_WITHIN_MS = 30_000;

/**
 * Checks that the events of one web process include all mail accepted meanwhile, regardless of the
 * process that accepted, sent or stored it. Mail without a reply is excluded: its process can crash
 * between commit and event.
 * @param web index of that process among the web processes of the bench; it must not be killed
 *   meanwhile.
 */
async function hearsOfAll(
  { bench, mailboxes, ledger }: Situation,
  web: number,
  during: () => Promise<void>,
): Promise<void> {
  const client = await followEvents(`${bench.webUrls()[web] ?? ''}/api/events`, {
    Authorization: `Bearer ${bench.token}`,
  });
  const shown = async () =>
    (await Promise.all(mailboxes.map((name) => shownIn(bench.api, name)))).flat();
  const before = new Set((await shown()).map(({ id }) => id));
  await during();
  const after = await shown();
  const accepted = new Set(
    ledger.mails.filter(({ outcome }) => outcome === 'accepted').map(({ marker }) => marker),
  );
  const owed = after.filter(({ id, subject }) => !before.has(id) && accepted.has(subject));
  const heard = () =>
    new Set(client.told.map(({ data }) => (data as { messageId?: string }).messageId));
  try {
    await eventually(
      `the events of ${owed.length} messages`,
      () => owed.every(({ id }) => heard().has(id)),
      HEARD_WITHIN_MS,
    );
  } finally {
    client.hangUp();
  }
}

const kill = (names: ProcessName[], survivingWeb: number): Fault['inject'] =>
  async function inject(situation) {
    const { bench, load } = situation;
    await hearsOfAll(situation, survivingWeb, async () => {
      const back = Promise.all(names.map((name) => bench.kill(name)));
      await load.accepted(5);
      await back;
      await load.accepted(5);
    });
  };

async function killAtRandom({ bench, load }: Situation): Promise<void> {
  const all = [...FIRST, ...SECOND];
  for (let time = 0; time < RANDOM_KILLS; time += 1) {
    await bench.kill(all[Math.floor(Math.random() * all.length)]!);
    await load.accepted(3);
  }
}

/** Longer than the node timeout of the cluster. */
const AWAY_MS = 4000;

/** All keys of the service are on one node because of their hash tag. */
async function nodeOfTheService({ bench }: Situation): Promise<RedisServer> {
  const nodes = clusters.get(bench.dataDir) ?? [];
  const sizes = await Promise.all(nodes.map(({ client }) => client.dbsize()));
  const used = nodes.filter((_node, n) => sizes[n]! > 0);
  if (used.length !== 1) throw new Error(`keys on several nodes: ${sizes.join()}`);
  return used[0]!;
}

async function loseTheNode(situation: Situation): Promise<void> {
  const node = await nodeOfTheService(situation);
  await node.kill();
  await delay(AWAY_MS);
  await node.start();
}

/** Both web processes share one count of invalid tokens. */
async function sharesLimits({ webUrls }: Bench): Promise<void> {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000);
    const statuses: number[] = [];
    for (let n = 0; n < AUTH_FAILURES + 10; n += 1) {
      const url = `${webUrls()[n % 2] ?? ''}/api/mailboxes`;
      const { status } = await fetch(url, { headers: { Authorization: `Bearer wrong-${n}` } });
      statuses.push(status);
    }
    if (Math.floor(Date.now() / 60_000) !== minute) continue;
    const refused = statuses.filter((status) => status === 401).length;
    if (refused !== AUTH_FAILURES) throw new Error(`${refused} times 401: ${statuses.join()}`);
    return;
  }
}

/**
 * Both SMTP processes know a mailbox at once after one web process creates it, and reject it after
 * the other deletes it.
 */
async function sharesDirectory({ api, product, smtpPort }: Bench): Promise<void> {
  const answers = async () => {
    const codes: number[] = [];
    for (let n = 0; n < 2; n += 1) {
      const client = await SmtpClient.open(smtpPort());
      const to = `shared-directory@${product().domain}`;
      const replies = await client.envelope('load@elsewhere.example', to);
      codes.push(replies.at(-1)!.code);
      client.drop();
    }
    return codes.join();
  };
  await api.json({ method: 'POST', path: '/mailboxes', body: { name: 'shared-directory' } });
  const known = await answers();
  await api.patiently({ method: 'DELETE', path: '/mailboxes/shared-directory' });
  const unknown = await answers();
  if (known !== '250,250' || unknown !== '550,550') {
    throw new Error(`RCPT was answered with ${known}, and after the deletion with ${unknown}`);
  }
}

/** Each schedule exists once, regardless of the number of workers. */
async function schedulesOnce({ redis }: Bench): Promise<void> {
  for (const { name } of Object.values(schedule)) {
    const count = await redis.zcard(`{mayfly}:${name}:repeat`);
    if (count !== 1) throw new Error(`${name} is scheduled ${count} times`);
  }
}

const faults: Fault[] = [
  {
    id: 'F17',
    title: 'one of two of each process is killed, then shared state is checked',
    inject: async (situation) => {
      await kill(FIRST, 1)(situation);
      await sharesLimits(situation.bench);
      await sharesDirectory(situation.bench);
      await schedulesOnce(situation.bench);
      await nodeOfTheService(situation);
    },
  },
  {
    id: 'F17',
    title: 'the other of two of each process is killed',
    slow: true,
    inject: kill(SECOND, 0),
  },
  {
    id: 'F17',
    title: 'the cluster node that holds the keys is killed',
    slow: true,
    inject: loseTheNode,
  },
  {
    id: 'F17',
    title: 'random processes are killed repeatedly',
    slow: true,
    inject: killAtRandom,
  },
];

export const manyGroup: FaultGroup = {
  title: 'two of each process over Redis Cluster, PostgreSQL and S3',
  openBench: () =>
    openBench({
      isDouble: true,
      env: { RATE_LIMIT_AUTH_FAILURES: `${AUTH_FAILURES}` },
      prepare: async (dataDir) => {
        const [server, s3, redis] = await Promise.all([
          startPostgres(),
          startS3(),
          startRedisCluster(),
        ]);
        clusters.set(dataDir, redis.servers);
        const DATABASE_URL = await makeTemplate(server.url);
        const undo = async () => {
          await server.stop();
          await s3.remove();
          await redis.stop();
          clusters.delete(dataDir);
        };
        return { env: { ...s3.env, DATABASE_URL, REDIS_URL: redis.url }, undo };
      },
    }),
  faults,
};
