/** One and two of each process on the same PostgreSQL, Redis and bucket, on one machine. */
import { generateKeyring } from '../../../core/secrets/keyring.ts';
import { type Product, startProduct } from '../../support/process/product.ts';
import { startPostgres } from '../../support/servers/postgres-server.ts';
import { startReplicatedRedis } from '../../support/servers/redis-servers.ts';
import { restClient } from '../../support/clients/rest-client.ts';
import { startS3 } from '../../support/servers/s3.ts';
import { makeTemplate } from '../../support/context/test-database.ts';
import { benchMail, programMail } from '../../load/mails.ts';
import { allVisible, createMailboxes } from '../../load/mailboxes.ts';
import { type Figure, median, perSecond, percentile, times } from '../figures.ts';
import { askLoad } from '../../load/http.ts';
import { startReceiver } from '../../load/receiver.ts';
import { sendLoad } from '../../load/smtp.ts';
import { measure } from './webhook-run.ts';

const RUNS = 3;
const CONNECTIONS = 20;
const CLIENTS = 16;
const MAILBOXES = 20;
const PAGES = 1000;

export async function manyFigures(): Promise<Figure[]> {
  const [server, s3, redis] = await Promise.all([
    startPostgres(),
    startS3(),
    startReplicatedRedis(0),
  ]);
  const products: Product[] = [];
  try {
    const env = {
      ...{ ...s3.env, DATABASE_URL: await makeTemplate(server.url), REDIS_URL: redis.url },
      ...{ PLAN_PRO_MAILBOXES: '0', ENCRYPTION_KEYS: generateKeyring() },
    };
    products.push(await startProduct(env));
    const token = products[0]?.token ?? '';
    const one = await figuresOf('one of each', products, token);
    products.push(await startProduct(env));
    return [...one, ...(await figuresOf('two of each', products, token))];
  } finally {
    for (const product of products) await product.stop();
    await Promise.all([server.stop(), s3.remove(), redis.stop()]);
  }
}

async function figuresOf(count: string, products: Product[], token: string): Promise<Figure[]> {
  const [first] = products;
  if (!first) return [];
  const rest = restClient(first.apiUrl, token);
  const names = Array.from({ length: MAILBOXES }, (_, n) => `many-${Date.now()}-${n}`);
  await createMailboxes(rest, names);
  const recipient = (n: number) => `${names[n % MAILBOXES] ?? ''}@${first.domain}`;
  let stored = 0;

  const intake = async (body: string, mails: number) => {
    const send = async () => {
      await Promise.all(
        products.map(({ smtpPort }) =>
          sendLoad({
            port: smtpPort,
            connections: CONNECTIONS / products.length,
            mails: mails / products.length,
            recipient,
            body,
            newConnectionEach: false,
          }),
        ),
      );
      stored += mails;
      await allVisible(rest, names, stored);
    };
    return rate(mails, send);
  };
  const pages = async () => {
    const ask = () =>
      Promise.all(
        products.map((product) =>
          askLoad({
            origin: new URL(product.apiUrl).origin,
            token,
            clients: CLIENTS / products.length,
            requests: PAGES / products.length,
            path: () => `/api/mailboxes/${names[0] ?? ''}/messages?limit=100`,
          }),
        ),
      );
    return rate(PAGES, ask);
  };
  return [
    { work: `2 KB mail, SMTP to visible, ${count}`, result: await intake(benchMail(2048), 3000) },
    {
      work: `20 KB mail, SMTP to visible, ${count}`,
      result: await intake(programMail(20 * 1024), 1000),
    },
    {
      work: `250 to webhook, 50 mails/s, ${count}`,
      result: await webhookDelays(products, token),
    },
    { work: `pages of 100 messages, ${count}`, result: await pages() },
  ];
}

async function rate(count: number, work: () => Promise<unknown>): Promise<string> {
  return `${median(await times(RUNS, () => perSecond(count, work))).toFixed(0)}/s`;
}

async function webhookDelays(products: Product[], token: string): Promise<string> {
  const [first] = products;
  if (!first) return '';
  const target = { ...first, rest: restClient(first.apiUrl, token) };
  const run = { mails: 500, perSecond: 50, mailboxes: [['healthy' as const]] };
  const receiver = await startReceiver();
  try {
    const { delays } = await measure(target, receiver, run, `hooked-${products.length}`);
    const [p50, p99] = [median(delays), percentile(delays, 0.99)];
    return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  } finally {
    receiver.stop();
  }
}
