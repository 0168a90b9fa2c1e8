import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
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

  it('are called for a mail, with a valid signature', async () => {
    await rest.createMailbox('shop');
    const { secret } = await rest.registerWebhook('shop', receiver.url);
    const [reply] = await product.send('shop', ['Subject: Your order\r\n\r\nHello\r\n']);
    expect(reply?.code).to.equal(250);
    const { body, headers } = await receiver.request(1);
    const payload = new Webhook(secret).verify(body, headers);
    expect(payload).to.deep.include({ event: 'message.received', mailbox: 'shop' });
  });
});
