/**
 * The SMTP process with a separate Redis and a directory of two mailboxes, `alice` and `bob` at
 * `acme.test`. Tests read accepted mail from the queue, because no worker runs.
 */
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { join } from 'node:path';
import { openDiskBlobs } from '../../../core/blobs/disk.ts';
import { openDirectory } from '../../../core/directory/recipients.ts';
import { type AcceptedMail, firstJobId } from '../../../core/intake/accepted-mail.ts';
import { openMailSpool } from '../../../core/intake/spool.ts';
import { ingestMessage } from '../../../jobs/ingest-message.ts';
import { freePort } from '../servers/free-port.ts';
import { PATIENT } from './inherited.ts';
import { type TestProcess, start } from './process.ts';
import { type TestRedis, startRedis } from '../servers/redis.ts';
import { type Reply, SmtpClient } from '../clients/smtp-client.ts';
import { makeTempDir } from '../context/temp-dir.ts';
import { withoutTrace } from '../mail/trace.ts';

export const PREFIX = '{mayfly}';

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
  const port = await freePort();
  const process = await start('haraka-plugin/server.ts', {
    DATA_DIR: dir.path,
    SMTP_PORT: String(port),
    ...PATIENT,
    BIND_HOST: '127.0.0.1',
    TLS_SELF_SIGNED: 'false',
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

export async function fillDirectory(client: Redis): Promise<void> {
  await openDirectory(client, PREFIX).rebuild({
    domains: async () => ['acme.test'],
    pages: async function* () {
      yield [
        { address: 'alice@acme.test', mailboxId: 'mbx_alice' },
        { address: 'bob@acme.test', mailboxId: 'mbx_bob' },
      ];
    },
    find: async () => [],
  });
}
