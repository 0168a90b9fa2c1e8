import Database from 'better-sqlite3';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { join } from 'node:path';
import { eventually } from '../support/mocha/eventually.ts';
import { inherited } from '../support/process/inherited.ts';
import { npmScript } from '../support/process/npm-script.ts';
import type { Product } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';

const mailOf = (subject: string) => `From: a@x.test\r\nSubject: ${subject}\r\n\r\n${subject}\r\n`;

describe('npm run mail:retry', () => {
  let product: Product;
  let database: Database.Database;
  let password: string;
  before(async () => {
    product = await sharedProduct();
    password = (await readFile(join(product.dataDir, 'operator-password'), 'utf8')).trim();
    database = new Database(join(product.dataDir, 'mayfly.sqlite'));
  });
  after(() => {
    database.exec('drop trigger if exists refusal');
    database.close();
  });

  /** Makes the database reject mail with this text in every form. */
  const refuse = (text: string) => {
    database.exec(`drop trigger if exists refusal;
      create trigger refusal before insert on mails when instr(cast(new.raw as text), '${text}') > 0
      begin select raise(abort, 'no'); end`);
  };
  /** The number of failed jobs that the queues page shows. */
  const quarantined = async () => {
    const answer = await fetch(`http://127.0.0.1:${product.httpPort}/admin/queues/api/queues`, {
      headers: { Authorization: `Basic ${btoa(`operator:${password}`)}` },
    });
    const { queues } = (await answer.json()) as { queues: { counts: { failed: number } }[] };
    return queues.reduce((sum, { counts }) => sum + counts.failed, 0);
  };
  const retry = async (...args: string[]) => {
    const env = { ...inherited, HOME: process.env.HOME, DATA_DIR: product.dataDir };
    const { status, stdout, stderr } = await npmScript('mail:retry', args, { env });
    expect(status, stderr).to.equal(0);
    return stdout;
  };
  const subjects = async () =>
    (await product.rest.messages('box')).map(({ subject }) => subject).sort();

  it('queues all quarantined mail again; what still fails is quarantined again', async () => {
    await product.rest.createMailbox('box');
    const others = await quarantined();
    expect(await retry()).to.equal('Queued     0 mails\n');

    refuse('poison');
    for (const subject of ['poison one', 'poison two']) {
      expect((await product.send('box', [mailOf(subject)]))[0]).to.include({ code: 250 });
    }
    await eventually('both to be quarantined', async () => (await quarantined()) === others + 2);
    expect(await subjects()).to.deep.equal([]);

    refuse('poison two');
    expect(JSON.parse(await retry('--json'))).to.deep.equal({ mails: 2 });
    await eventually('the first', async () => (await product.rest.messageCount('box')) === 1);
    await eventually('the second to fail again', async () => (await quarantined()) === others + 1);
    expect(await subjects()).to.deep.equal(['poison one']);

    refuse('nothing');
    expect(await retry()).to.equal('Queued     1 mails\n');
    await eventually('the second', async () => (await product.rest.messageCount('box')) === 2);
    expect(await subjects()).to.deep.equal(['poison one', 'poison two']);
    expect(await quarantined()).to.equal(others);
    expect(await retry()).to.equal('Queued     0 mails\n');
  });
});
