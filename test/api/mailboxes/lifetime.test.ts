import { expect } from 'chai';
import { openExpiryJobs } from '../../support/context/expiry-jobs.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { ingestMessage } from '../../../jobs/ingest.ts';
import { service } from '../../support/service.ts';

const RUN = { jobId: '', start: 1, stalls: 0 };

describe('the lifetime of a mailbox', () => {
  /** The clock stops between two steps of a test. */
  let now = Date.now();
  const test = service({
    overrides: () => {
      now = Date.now();
      return { now: () => now };
    },
  });
  const { api, deliver, messages } = test;

  const create = async (body: object) =>
    (await api.post('/api/mailboxes').send(body).expect(201)).body as {
      id: string;
      name: string;
      expiresAt: string;
    };
  const lookUp = async (name: string) =>
    (await test.context.directory.lookup({ name, domain: 'one.test', tag: null })).outcome;
  const jobs = () => openExpiryJobs(test.context);

  it('ends at the millisecond of expiresAt, before any job has run', async () => {
    const { expiresAt } = await create({ name: 'short', expiresIn: 60, clientId: 'job' });
    expect(Date.parse(expiresAt)).to.equal(now + 60_000);
    const id = await test.receive('short');
    const paths = ['', '/messages', `/messages/${id}`, `/messages/${id}/raw`, '/webhooks'];
    const seen = () =>
      Promise.all(paths.map(async (path) => (await api.get(`/api/mailboxes/short${path}`)).status));
    now = Date.parse(expiresAt) - 1;
    expect(new Set(await seen())).to.deep.equal(new Set([200]));
    expect(await lookUp('short')).to.equal('mailbox');
    now += 1;
    expect(new Set(await seen())).to.deep.equal(new Set([404]));
    expect(await lookUp('short')).to.equal('expired');
    expect((await api.get('/api/mailboxes').expect(200)).body).to.deep.equal([]);
    await api.patch('/api/mailboxes/short').send({ expiresIn: 60 }).expect(404);
    await api.delete('/api/mailboxes/short').expect(404);
    const to = ['short@one.test'];
    await create({ name: 'sender' });
    const sent = await api.post('/api/mailboxes/sender/messages').send({ to, subject: 's' });
    expect(sent.status).to.equal(422);
  });

  for (const clientId of ['\ud800', 'n\u0000']) {
    it(`finds a client id again that no database stores: ${JSON.stringify(clientId)}`, async () => {
      const { id } = await create({ clientId });
      const { body } = await api.post('/api/mailboxes').send({ clientId }).expect(200);
      expect(body).to.include({ id });
    });
  }

  it('releases name and client id at once', async () => {
    const first = await create({ name: 'again', expiresIn: 1, clientId: 'job' });
    now += 1000;
    const second = await create({ name: 'again', clientId: 'job', labels: { run: '2' } });
    expect(second.id).to.not.equal(first.id);
    expect(await lookUp('again')).to.equal('mailbox');
    await jobs().expire();
    expect(await lookUp('again')).to.equal('mailbox');
    expect((await api.get('/api/mailboxes').expect(200)).body).to.have.length(1);
  });

  it('drops mail that was accepted before and is stored after', async () => {
    const { expiresAt } = await create({ name: 'late', expiresIn: 1 });
    const mail = await acceptMail(test.context, ['late@one.test'], 'Subject: s\r\n\r\n');
    now = Date.parse(expiresAt);
    await ingestMessage.run(test.context, mail, RUN);
    const { db } = test.context.store;
    expect(await db.select().from(db.t.messages)).to.deep.equal([]);
    expect(await db.select().from(db.t.mails)).to.deep.equal([]);
  });

  it('answers "expired" over SMTP for an hour, with and without the job', async () => {
    for (const hasJob of [false, true]) {
      const name = hasJob ? 'with-job' : 'without-job';
      const { expiresAt } = await create({ name, expiresIn: 1 });
      now = Date.parse(expiresAt);
      if (hasJob) await jobs().expire();
      expect(await lookUp(name)).to.equal('expired');
      if (hasJob) continue; // Redis counts the hour of a removed entry by its own clock
      now += 3_599_999;
      expect(await lookUp(name)).to.equal('expired');
      now += 1;
      expect(await lookUp(name)).to.equal('unknown');
    }
  });

  it('reports the end once, and purges the mailbox and its messages', async () => {
    const { id, expiresAt } = await create({ name: 'gone', expiresIn: 5, labels: { run: '1' } });
    await deliver('gone', 'Subject: s\r\n\r\n');
    now = Date.parse(expiresAt) - 1;
    expect(await jobs().expire()).to.deep.equal([]);
    now += 1;
    expect(await jobs().expire()).to.deep.equal([
      { type: 'mailbox.deleted', mailbox: 'gone', mailboxId: id, labels: { run: '1' } },
    ]);
    expect(await jobs().expire()).to.deep.equal([]);
    await jobs().purge(id);
    const { db } = test.context.store;
    for (const table of [db.t.mailboxes, db.t.mailboxLabels, db.t.messages]) {
      expect(await db.select().from(table)).to.deep.equal([]);
    }
  });

  it('is extended, shortened and removed from now on', async () => {
    await create({ name: 'kept', expiresIn: 10 });
    now += 9_999;
    const { body } = await api.patch('/api/mailboxes/kept').send({ expiresIn: 10 }).expect(200);
    expect(Date.parse((body as { expiresAt: string }).expiresAt)).to.equal(now + 10_000);
    now += 9_999;
    expect(await lookUp('kept')).to.equal('mailbox');
    await api.patch('/api/mailboxes/kept').send({ expiresIn: null }).expect(200);
    now += 86_400_000;
    expect(await lookUp('kept')).to.equal('mailbox');
    await api.patch('/api/mailboxes/kept').send({ expiresIn: 1 }).expect(200);
    now += 1000;
    expect(await lookUp('kept')).to.equal('expired');
  });

  it('ends at the last of concurrent changes', async () => {
    await create({ name: 'raced' });
    await Promise.all(
      [1, 2, 3, 4, 5].map((expiresIn) =>
        api.patch('/api/mailboxes/raced').send({ expiresIn }).expect(200),
      ),
    );
    const { body } = await api.get('/api/mailboxes/raced').expect(200);
    now = Date.parse((body as { expiresAt: string }).expiresAt) - 1;
    expect(await lookUp('raced')).to.equal('mailbox');
    now += 1;
    expect(await lookUp('raced')).to.equal('expired');
  });

  it('ends the login of its SMTP credentials', async () => {
    const { expiresAt } = await create({ name: 'app', expiresIn: 60 });
    const path = '/api/mailboxes/app/smtp-credentials';
    const { body } = await api.post(path).send({ name: 'c' }).expect(201);
    const { username } = body as { username: string };
    now = Date.parse(expiresAt) - 1;
    const found = await test.context.credentials.find(username);
    expect(found).to.include({ mailboxExpiresAt: now + 1 });
    now += 1;
    expect(await test.context.credentials.find(username)).to.equal(null);
  });

  it('expires messages after messagesExpireIn', async () => {
    await create({ name: 'brief', messagesExpireIn: 60 });
    await create({ name: 'usual' });
    await deliver(['brief', 'usual'], 'Subject: s\r\n\r\n');
    const total = async (name: string) =>
      ((await api.get(`/api/mailboxes/${name}/messages`)).body as { total: number }).total;
    now += 59_999;
    expect([await total('brief'), await total('usual')]).to.deep.equal([1, 1]);
    now += 1;
    expect([await total('brief'), await total('usual')]).to.deep.equal([0, 1]);
    await jobs().limit();
    const { db } = test.context.store;
    expect(await db.select().from(db.t.messages)).to.have.length(1);
    expect(await total('usual')).to.equal(1);
  });

  it('keeps the newest maxMessages messages', async () => {
    const { id } = await create({ name: 'few', maxMessages: 2 });
    for (const n of [1, 2, 3, 4]) {
      now += 1000;
      await deliver('few', `Subject: ${n}\r\n\r\n`);
    }
    const before = await messages('few');
    expect(before).to.have.length(4);
    const events = await jobs().limit();
    expect((await messages('few')).map(({ subject }) => subject)).to.deep.equal(['4', '3']);
    const removed = before.slice(2).map((message) => message.id);
    expect(events).to.deep.equal(
      removed.map((messageId) => ({
        ...{ type: 'message.deleted', mailbox: 'few', mailboxId: id, messageId },
      })),
    );
    expect(await jobs().limit()).to.deep.equal([]);
  });
});
