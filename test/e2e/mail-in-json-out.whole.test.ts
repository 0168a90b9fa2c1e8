import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { eventually } from '../support/mocha/eventually.ts';
import type { Product } from '../support/process/product.ts';
import type { RestClient } from '../support/clients/rest-client.ts';
import { sharedProduct } from '../support/process/shared-product.ts';

/** Mails of a connection. */
const EACH = 20;

describe('mail in, JSON out', () => {
  let product: Product;
  let rest: RestClient;

  before(async () => {
    product = await sharedProduct();
    ({ rest } = product);
  });

  const arrived = (name: string, count: number) =>
    eventually(
      `${count} messages in ${name}`,
      async () => (await rest.messageCount(name)) >= count,
    );

  it('shows a real multipart mail completely, and keeps its bytes', async () => {
    await rest.createMailbox('zoe');
    const raw = await readFile(join(ROOT, 'test/mail/order.eml'));
    const [reply] = await product.send('Zoe+Shop', [raw]);
    expect(reply?.code).to.equal(250);
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

  it('shows 200 mails over 10 connections, each once, in the order of their arrival', async () => {
    await rest.createMailbox('busy');
    const acknowledged: string[] = [];
    await Promise.all(
      Array.from({ length: 10 }, async (_, connection) => {
        const subjects = Array.from({ length: EACH }, (_, n) => `${connection}-${n}`);
        const mails = subjects.map((subject) => `Subject: ${subject}\r\n\r\nx\r\n`);
        const codes = (await product.send('busy', mails)).map(({ code }) => code);
        expect(codes).to.deep.equal(Array(EACH).fill(250));
        acknowledged.push(...subjects);
      }),
    );
    await arrived('busy', 10 * EACH);
    const messages = await rest.messages('busy');
    expect(messages.map(({ subject }) => subject)).to.have.members(acknowledged);
    expect(new Set(messages.map(({ id }) => id)).size).to.equal(10 * EACH);
    const times = messages.map(({ receivedAt }) => receivedAt);
    expect(times).to.deep.equal([...times].sort().reverse());
    for (let connection = 0; connection < 10; connection += 1) {
      const own = messages
        .map(({ subject }) => subject)
        .filter((s) => s.startsWith(`${connection}-`));
      expect(own).to.deep.equal(
        Array.from({ length: EACH }, (_, n) => `${connection}-${EACH - 1 - n}`),
      );
    }
  });
});
