import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../support/mocha/eventually.ts';
import type { Product } from '../support/process/product.ts';
import type { RestClient } from '../support/clients/rest-client.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { sharedProduct } from '../support/process/shared-product.ts';

const CLIENTS = 12;
const STALL_MS = 5_000;
const BETWEEN_MAILS_MS = 20;
/** Every n-th mail is larger than 1 MiB, so its bytes are in the blob store. */
const LARGE_EVERY = 25;
const LARGE_LINES = 20_000;

describe('a Redis that stalls for 5 s', () => {
  let product: Product;
  let rest: RestClient;
  before(async () => {
    product = await sharedProduct();
    ({ rest } = product);
    await rest.createMailbox('stalled');
  });

  const accepted: string[] = [];
  const refused: string[] = [];

  const send = async (client: SmtpClient, subject: string, lines: number) => {
    const body = 'A line of a mail that has sixty characters with its line end.\r\n'.repeat(lines);
    const reply = await client.send({
      from: 'load@elsewhere.example',
      to: [`stalled@${product.domain}`],
      data: Buffer.from(`Subject: ${subject}\r\n\r\n${body}`),
    });
    if (reply.code === 250) accepted.push(subject);
    else refused.push(`${reply.code} ${reply.text}`);
  };

  it('refuses no mail over SMTP, and every mail is stored once', async () => {
    let isOver = false;
    const load = Array.from({ length: CLIENTS }, async (_, client) => {
      const smtp = await SmtpClient.open(product.smtpPort);
      for (let n = 1; !isOver; n += 1) {
        await send(smtp, `${client}-${n}`, n % LARGE_EVERY === 0 ? LARGE_LINES : 20);
        await delay(BETWEEN_MAILS_MS);
      }
      await smtp.quit();
    });
    const reach = (count: number) =>
      eventually(`${count} mails to be accepted`, () => accepted.length >= count);
    await reach(CLIENTS * 10);
    product.kill('redis', 'SIGSTOP');
    await delay(STALL_MS);
    product.kill('redis', 'SIGCONT');
    await reach(accepted.length + CLIENTS * 10);
    isOver = true;
    await Promise.all(load);

    expect(refused).to.deep.equal([]);
    await eventually(
      'every accepted mail to be stored',
      async () => (await rest.messageCount('stalled')) >= accepted.length,
      60_000,
    );
    const subjects = (await rest.messages('stalled')).map(({ subject }) => subject);
    expect(subjects.sort()).to.deep.equal(accepted.sort());
  });
});
