import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/mocha/eventually.ts';
import type { Product } from '../support/process/product.ts';
import { type Receiver, openReceiver } from '../support/servers/receiver.ts';
import type { RestClient } from '../support/clients/rest-client.ts';
import { sharedProduct } from '../support/process/shared-product.ts';

describe('webhooks of the whole product', () => {
  let product: Product;
  let rest: RestClient;
  let receiver: Receiver;

  before(async () => {
    product = await sharedProduct();
    ({ rest } = product);
    receiver = await openReceiver();
  });
  after(() => receiver.close());

  /** Returns how many were accepted with 250. */
  const send = async (name: string, subjects: string[]) => {
    const mails = subjects.map((subject) => `Subject: ${subject}\r\n\r\nHello\r\n`);
    return (await product.send(name, mails)).filter(({ code }) => code === 250).length;
  };
  const named = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

  it('are called for a mail, with a valid signature', async () => {
    await rest.createMailbox('shop');
    const { secret } = await rest.registerWebhook('shop', receiver.url);
    expect(await send('shop', ['Your order'])).to.equal(1);
    const { body, headers } = await receiver.request(1);
    const payload = new Webhook(secret).verify(body, headers);
    expect(payload).to.deep.include({ event: 'message.received', mailbox: 'shop' });
  });

  it('lose no message when the worker and Redis are killed while mail arrives', async () => {
    await rest.createMailbox('box');
    await rest.registerWebhook('box', receiver.url);
    const told = new Set<string>();
    const called = new Set<string>();
    // Some answers take a while, so that calls are under way at every moment. Every seventh message
    // is refused once.
    receiver.answer((_req, res, { headers }) => {
      const id = headers['webhook-id']!;
      const fails = !called.has(id) && called.size % 7 === 0;
      called.add(id);
      setTimeout(
        () => {
          if (!fails) told.add(id);
          res.writeHead(fails ? 500 : 204).end();
        },
        called.size % 5 === 0 ? 300 : 0,
      );
    });
    const accepted = [await send('box', named('first', 40))];
    product.kill('worker', 'SIGKILL');
    accepted.push(await send('box', named('second', 40)));
    await eventually('a call by the new worker', () => told.size > 40);
    product.kill('redis', 'SIGKILL');
    accepted.push(
      await eventually(
        'mail to be taken again',
        async () => (await send('box', named('third', 20)).catch(() => 0)) || null,
      ),
    );
    const total = accepted.reduce((sum, count) => sum + count);
    const ids = await eventually(
      'every message',
      async () => {
        const messages = await rest.messages('box');
        return messages.length >= total && messages.map(({ id }) => id);
      },
      60_000,
    );
    await eventually('every delivery', () => ids.every((id) => told.has(id)), 90_000);
  });
});
