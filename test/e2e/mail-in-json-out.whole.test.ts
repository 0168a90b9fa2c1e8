import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { eventually } from '../support/mocha/eventually.ts';
import type { Product } from '../support/process/product.ts';
import { type RestClient, restClient } from '../support/clients/rest-client.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { sharedProduct } from '../support/process/shared-product.ts';

describe('mail in, JSON out', () => {
  let product: Product;
  let rest: RestClient;

  before(async () => {
    product = await sharedProduct();
    rest = restClient(product.apiUrl, product.token!);
  });

  const arrived = (name: string, count: number) =>
    eventually(
      `${count} messages in ${name}`,
      async () => (await rest.messageCount(name)) >= count,
    );

  it('shows a real multipart mail completely, and keeps its bytes', async () => {
    await rest.createMailbox('zoe');
    const raw = await readFile(join(ROOT, 'test/mail/order.eml'));
    const client = await SmtpClient.open(product.smtpPort);
    const reply = await client.send({
      from: 'jose.munoz@shop.example',
      to: [`Zoe+Shop@${product.domain}`],
      data: raw,
    });
    expect(reply.code).to.equal(250);
    await client.quit();
    await arrived('zoe', 1);
    const [message] = await rest.messages('zoe');
    expect(message).to.include({ subject: 'Ihre Bestellung № 42 — Grüße 🦋', tag: 'Shop' });
    expect(message?.text).to.contain('12,50 €.\n.\nEin Punkt');
    expect(message?.html).to.contain('cid:logo@shop.example');
    expect(message?.attachments.map(({ filename }) => filename)).to.deep.equal([
      'logo.png',
      'Rechnung № 42.pdf',
    ]);
    const database = new Database(join(product.dataDir, 'mayfly.sqlite'), { readonly: true });
    const stored = database.prepare("select raw from mails where subject like 'Ihre %'").get() as {
      raw: Buffer;
    };
    database.close();
    expect(stored.raw.subarray(-raw.length).equals(raw), 'the bytes as they were sent').to.equal(
      true,
    );
    expect(stored.raw.subarray(0, -raw.length).toString()).to.match(/^Received: from /);
    expect(stored.raw.includes(Buffer.from('X-Note: caf\xe9', 'latin1'))).to.equal(true);
  });

  it('shows 500 mails over 10 connections, each once, in the order of their arrival', async () => {
    await rest.createMailbox('busy');
    const acknowledged: string[] = [];
    await Promise.all(
      Array.from({ length: 10 }, async (_, connection) => {
        const client = await SmtpClient.open(product.smtpPort);
        for (let n = 0; n < 50; n += 1) {
          const subject = `${connection}-${n}`;
          const reply = await client.send({
            from: 'load@elsewhere.example',
            to: [`busy@${product.domain}`],
            data: Buffer.from(`Subject: ${subject}\r\n\r\nx\r\n`),
          });
          expect(reply.code).to.equal(250);
          acknowledged.push(subject);
        }
        await client.quit();
      }),
    );
    await arrived('busy', 500);
    const messages = await rest.messages('busy');
    expect(messages.map(({ subject }) => subject)).to.have.members(acknowledged);
    expect(new Set(messages.map(({ id }) => id)).size).to.equal(500);
    const times = messages.map(({ receivedAt }) => receivedAt);
    expect(times).to.deep.equal([...times].sort().reverse());
    for (let connection = 0; connection < 10; connection += 1) {
      const own = messages
        .map(({ subject }) => subject)
        .filter((s) => s.startsWith(`${connection}-`));
      expect(own).to.deep.equal(Array.from({ length: 50 }, (_, n) => `${connection}-${49 - n}`));
    }
  });
});
