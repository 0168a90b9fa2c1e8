import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { restClient } from '../support/clients/rest-client.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { page } from '../support/docs/pages.ts';
import { attachmentMail } from '../support/mail/attachment-mail.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { isLeftOut } from '../support/mocha/left-out.ts';
import { type Product, startProduct } from '../support/process/product.ts';
import { runBeside } from '../support/process/programs.ts';
import { sharedProduct } from '../support/process/shared-product.ts';
import { type PostgresServer, startPostgres } from '../support/servers/postgres-server.ts';
import { type Receiver, openReceiver } from '../support/servers/receiver.ts';

const PAGE = 'docs/backup-and-restore.md';
const BYTES = Buffer.alloc(1_500_000, 'backup');

/** The commands of a section of the page, in order. */
const commandsOf = (heading: string) =>
  page(PAGE)
    .blocks.filter(({ section }) => section === heading)
    .map(({ code }) => code);

/**
 * Backs up a running product with the commands of the page, restores it in another place, and uses
 * it there.
 */
describe('docs/backup-and-restore.md', function () {
  this.timeout(240_000);
  let dir: TempDir;
  let receiver: Receiver;
  let postgres: PostgresServer | undefined;
  let product: Product | undefined;

  beforeEach(async () => {
    [dir, receiver] = await Promise.all([makeTempDir(), openReceiver()]);
  });
  afterEach(async () => {
    await product?.stop();
    await postgres?.stop();
    product = undefined;
    postgres = undefined;
    await receiver.close();
    await dir.remove();
  });

  const shell = (code: string, env: Record<string, string>) =>
    runBeside('sh', ['-euc', code], {
      env: { ...process.env, BACKUP: join(dir.path, 'backup'), ...env },
    });
  const mail = async ({ send }: Product, name: string) => {
    const [reply] = await send('kept', [attachmentMail([{ name, bytes: BYTES }])]);
    expect(reply?.code, reply?.text).to.equal(250);
  };
  /** The raw mails of the mailbox, once it has `count`. */
  const mailsOf = async ({ apiUrl }: Product, token: string, count: number) => {
    const api = restClient(apiUrl, token);
    await eventually('the mail', async () => (await api.messageCount('kept')) === count);
    return Promise.all((await api.messages('kept')).map(({ id }) => api.raw('kept', id)));
  };

  /** @param places variables of the old product, which goes on, and of the new one. */
  const backsUpAndRestores = async (
    from: Product,
    places: Record<'from' | 'to', Record<string, string>>,
    backup: string,
    restore: string,
  ) => {
    const token = from.token ?? '';
    await from.rest.createMailbox('kept');
    const { secret } = await from.rest.registerWebhook('kept', receiver.url);
    await mail(from, 'before.bin');
    const before = await mailsOf(from, token, 1);
    await receiver.request(1);
    await shell(backup, places.from);

    await shell(restore, places.to);
    const to = (product = await startProduct(places.to));
    expect(to.token, 'a token of a new workspace').to.equal(null);
    expect(await mailsOf(to, token, 1)).to.deep.equal(before);
    await mail(to, 'after.bin');
    const [newest = Buffer.of()] = await mailsOf(to, token, 2);
    expect(newest.includes('after.bin')).to.equal(true);
    const told = await receiver.request(2);
    new Webhook(secret).verify(told.body, told.headers);
  };

  it('restores SQLite', async () => {
    const [backup = '', restore = '', ...others] = commandsOf('SQLite');
    expect(others).to.deep.equal([]);
    const from = await sharedProduct();
    const places = { from: { DATA_DIR: from.dataDir }, to: { DATA_DIR: join(dir.path, 'new') } };
    await backsUpAndRestores(from, places, backup, restore);
  });

  it('restores PostgreSQL', async function () {
    if (isLeftOut('backup on PostgreSQL')) this.skip();
    const [backup = '', restore = '', ...others] = commandsOf('PostgreSQL');
    expect(others).to.deep.equal([]);
    postgres = await startPostgres();
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query('CREATE DATABASE restored');
    await client.end();
    const places = {
      from: { DATA_DIR: join(dir.path, 'old'), DATABASE_URL: postgres.url },
      to: {
        DATA_DIR: join(dir.path, 'new'),
        DATABASE_URL: postgres.url.replace(/postgres$/, 'restored'),
      },
    };
    const from = await startProduct(places.from);
    try {
      await backsUpAndRestores(from, places, backup, restore);
    } finally {
      await from.stop();
    }
  });
});
