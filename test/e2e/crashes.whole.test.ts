import { expect } from 'chai';
import { Redis } from 'ioredis';
import { embeddedRedisSocket } from '../../core/config/redis.ts';
import { eventually } from '../support/mocha/eventually.ts';
import type { Product } from '../support/process/product.ts';
import type { RestClient } from '../support/clients/rest-client.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { type Receiver, openReceiver } from '../support/servers/receiver.ts';
import { sharedProduct } from '../support/process/shared-product.ts';

describe('a crash', () => {
  let product: Product;
  let rest: RestClient;
  let receiver: Receiver;
  /** Messages whose webhook was answered with 204. */
  const told = new Set<string>();

  /** A new mailbox for each test. */
  let box: string;
  let boxes = 0;

  before(async () => {
    product = await sharedProduct();
    ({ rest } = product);
    receiver = await openReceiver();
    const called = new Set<string>();
    // Some answers take a while, so that calls are under way at every moment. Every seventh message
    // is refused once.
    receiver.answer((_req, res, { headers }) => {
      const id = headers['webhook-id']!;
      const fails = !called.has(id) && called.size % 7 === 0;
      called.add(id);
      const answer = () => {
        if (!fails) told.add(id);
        res.writeHead(fails ? 500 : 204).end();
      };
      setTimeout(answer, called.size % 5 === 0 ? 300 : 0);
    });
  });
  after(() => receiver.close());
  beforeEach(async () => {
    box = `crash-${(boxes += 1)}`;
    await rest.createMailbox(box);
    await rest.registerWebhook(box, receiver.url);
  });

  /** Sends mails one after the other, and returns the subjects that were answered with 250. */
  const sendMany = async (count: number, prefix: string, before?: (n: number) => void) => {
    const subjects = Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
    const mails = subjects.map((subject) => `Subject: ${subject}\r\n\r\n${'x'.repeat(2000)}\r\n`);
    const replies = await product.send(box, mails, before);
    return subjects.filter((_, n) => replies[n]?.code === 250);
  };
  /** Each mail is stored once, and its webhook was called. */
  const arrived = async (subjects: string[]) => {
    await eventually(
      'every mail',
      async () => (await rest.messageCount(box)) >= subjects.length,
      60_000,
    );
    const stored = await rest.messages(box);
    expect(stored.map(({ subject }) => subject).sort()).to.deep.equal(subjects.sort());
    await eventually('every delivery', () => stored.every(({ id }) => told.has(id)), 90_000);
  };

  it('of the worker under load loses and duplicates no mail', async () => {
    const first = product.processes().get('worker');
    const senders = Array.from({ length: 4 }, (_, sender) =>
      sendMany(20, `s${sender}`, (n) => {
        if (sender === 0 && n === 5) product.kill('worker', 'SIGKILL');
      }),
    );
    // It is killed again as soon as it reads what has waited.
    await eventually('the worker to restart', () => product.processes().get('worker') !== first);
    product.kill('worker', 'SIGKILL');
    const accepted = (await Promise.all(senders)).flat();
    expect(accepted).to.have.length(80);
    await arrived(accepted);
  });

  it('of the SMTP process loses no mail that was accepted with 250', async () => {
    const before = await sendMany(20, 'before');
    product.kill('smtp', 'SIGKILL');
    const client = await eventually('the SMTP process to restart', () =>
      SmtpClient.open(product.smtpPort).catch(() => null),
    );
    await client.quit();
    await arrived([...before, ...(await sendMany(20, 'after'))]);
  });

  it('of Redis loses no mail that was accepted with 250, and mail is accepted again', async () => {
    const before = await sendMany(20, 'before');
    product.kill('redis', 'SIGKILL');
    const after = await eventually('mail to be taken again', async () => {
      const accepted = await sendMany(1, 'after').catch(() => []);
      return accepted.length > 0 && accepted;
    });
    await arrived([...before, ...after]);
  });

  it('that empties Redis: addresses are known again without a restart', async () => {
    const redis = new Redis(embeddedRedisSocket(product.dataDir));
    let flushed = false;
    const accepted = await sendMany(20, 'load', (n) => {
      if (n === 10 && !flushed) {
        flushed = true;
        void redis.flushall();
      }
    });
    expect(accepted).to.include('load-0');
    await eventually(
      'mail to be taken again',
      async () => (await sendMany(1, 'after')).length === 1,
    );
    await eventually('the mail', async () =>
      (await rest.messages(box)).some(({ subject }) => subject === 'after-0'),
    );
    await redis.quit();
  });
});
