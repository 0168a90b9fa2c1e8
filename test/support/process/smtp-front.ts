/**
 * The SMTP process with a separate Redis and a directory of two mailboxes, `alice` and `bob` at
 * `acme.test`. Tests read accepted mail from the queue, because no worker runs.
 */
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { join } from 'node:path';
import { openDiskBlobs } from '../../../core/blobs/disk.ts';
import { openRecipientDirectory } from '../../../core/directory/recipients.ts';
import { type AcceptedMail, firstJobId } from '../../../core/intake/accepted-mail.ts';
import { openMailSpool } from '../../../core/intake/spool.ts';
import { ingestMessage } from '../../../jobs/ingest.ts';
import { freePort } from '../servers/free-port.ts';
import { PATIENT } from './inherited.ts';
import { type TestProcess, start } from './process.ts';
import { type TestRedis, startRedis } from '../servers/redis.ts';
import { type Reply, SmtpClient } from '../clients/smtp-client.ts';
import { makeTempDir } from '../context/temp-dir.ts';
import { withoutTrace } from '../mail/trace.ts';

export const PREFIX = '{mayfly}';
/** A short mail. */
export const MAIL = 'Subject: x\r\n\r\ny\r\n';

export interface SmtpFront {
  readonly port: number;
  readonly dataDir: string;
  readonly process: TestProcess;
  readonly redis: TestRedis;
  /** A client of that Redis. */
  readonly client: Redis;
  /** A connection after EHLO, from any address of this machine. */
  readonly open: (localAddress?: string) => Promise<SmtpClient>;
  /** The payload of an accepted mail, alone or in a group, by the id in the reply. */
  readonly job: (reply: Reply) => Promise<AcceptedMail>;
  /** The stored bytes of an accepted mail without its first Received field. */
  readonly mail: (reply: Reply) => Promise<Buffer>;
  readonly close: () => Promise<void>;
}

/** @param env settings of the process in addition to its port and data directory. */
export async function startSmtpFront(env: Record<string, string> = {}): Promise<SmtpFront> {
  const dir = await makeTempDir();
  const redis = await startRedis(dir.path);
  const client = new Redis(redis.socket, { maxRetriesPerRequest: null });
  client.on('error', () => {
    // tests stop this Redis server
  });
  await fillDirectory(client);
  client.on('ready', () => {
    fillDirectory(client).catch(() => undefined); // the server was stopped again
  });
  const port = await freePort();
  const process = await start('haraka-plugin/server', {
    DATA_DIR: dir.path,
    SMTP_PORT: String(port),
    ...PATIENT,
    BIND_HOST: '127.0.0.1',
    ...env,
  });
  const queue = new Queue(ingestMessage.name, { connection: client, prefix: PREFIX });
  const mailSpool = openMailSpool(client, PREFIX, openDiskBlobs(join(dir.path, 'blobs')), Infinity);

  const job = async (reply: Reply) => {
    const ingestId = /ing_[0-9a-z]{26}(?:-\d+)?/.exec(reply.text)?.[0];
    if (reply.code !== 250 || !ingestId) throw new Error(`not accepted: ${reply.text}`);
    const found = await queue.getJob(firstJobId(ingestId));
    const payload = ingestMessage.payload.parse(found?.data);
    const mails = 'mails' in payload ? payload.mails : [payload];
    const accepted = mails.find((mail) => mail.ingestId === ingestId);
    if (!accepted) throw new Error(`no job for ${ingestId}`);
    return accepted;
  };

  return {
    port,
    dataDir: dir.path,
    process,
    redis,
    client,
    open: (localAddress) => SmtpClient.open(port, localAddress),
    job,
    mail: async (reply) => {
      const { ingestId, raw } = await job(reply);
      return withoutTrace((await mailSpool.get(ingestId, raw))!);
    },
    close: async () => {
      await process.stop();
      client.disconnect();
      await redis.stop();
      await dir.remove();
    },
  };
}

export interface SmtpTest extends SmtpFront {
  /** Starts the process of a test that needs other settings, in place of the present one. */
  readonly restart: (env?: Record<string, string>) => Promise<void>;
  /** Opens a connection and sends one mail. Returns the last reply, or the first rejection. */
  readonly send: (data?: string | Buffer, to?: string[], from?: string) => Promise<Reply>;
}

/**
 * An SMTP process for a suite, or `each` test. Connections of `open` are dropped after each test.
 * `prepare` runs after each start.
 */
export function smtp({
  env = {},
  each = false,
  prepare = async () => undefined,
}: {
  env?: Record<string, string> | (() => Record<string, string>);
  each?: boolean;
  prepare?: (front: SmtpFront) => Promise<unknown>;
} = {}): SmtpTest {
  let front: SmtpFront;
  let clients: SmtpClient[] = [];
  const begin = async (more: Record<string, string> = {}) => {
    front = await startSmtpFront({ ...(typeof env === 'function' ? env() : env), ...more });
    await prepare(front);
  };
  const end = () => front.close();
  if (each) {
    beforeEach(() => begin());
    afterEach(end);
  } else {
    before(() => begin());
    after(end);
  }
  afterEach(() => {
    for (const client of clients) client.drop();
    clients = [];
  });
  const open = async (localAddress?: string) => {
    const client = await front.open(localAddress);
    clients.push(client);
    return client;
  };
  return {
    get port() {
      return front.port;
    },
    get dataDir() {
      return front.dataDir;
    },
    get process() {
      return front.process;
    },
    get redis() {
      return front.redis;
    },
    get client() {
      return front.client;
    },
    open,
    job: (reply) => front.job(reply),
    mail: (reply) => front.mail(reply),
    close: end,
    restart: async (more) => {
      await end();
      await begin(more);
    },
    send: async (data = MAIL, to = ['alice@acme.test'], from = 's@client.example') =>
      (await open()).send({ from, to, data: Buffer.from(data) }),
  };
}

const ENTRIES = [
  { address: 'alice@acme.test', mailboxId: 'mbx_alice' },
  { address: 'bob@acme.test', mailboxId: 'mbx_bob' },
];

/** Does what a worker does with the directory. */
export async function fillDirectory(client: Redis): Promise<void> {
  await openRecipientDirectory(client, PREFIX).rebuild({
    async *domains() {
      yield ['acme.test'];
    },
    pages: async function* () {
      yield ENTRIES;
    },
    find: async (addresses) => ENTRIES.filter(({ address }) => addresses.includes(address)),
  });
}
