import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { openApi } from '../support/clients/rest-client.ts';
import { Ledger } from '../faults/harness/ledger.ts';
import { openMailboxes } from '../faults/harness/mailboxes.ts';
import { largeMail } from '../load/mails.ts';
import { faultsOf, judge } from '../faults/harness/oracle.ts';
import { type OwedReceiver, openOwedReceiver } from '../faults/harness/owed.ts';
import { untilIngested } from '../faults/harness/queue-state.ts';
import { sendMails } from '../faults/harness/smtp-load.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type PostgresServer, startPostgres } from '../support/servers/postgres-server.ts';
import { type TestProcess, launch, start } from '../support/process/process.ts';
import { service } from '../support/service.ts';
import { type Receiver, openReceiver } from '../support/servers/receiver.ts';
import { type TestS3, startS3 } from '../support/servers/s3.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';

interface Told {
  message: { attachments: { url: string }[] };
}

const MAILBOXES = ['first', 'second'];

/** Moves from SQLite and a folder to PostgreSQL and S3 while mail arrives. */
describe('npm run move', () => {
  let postgres: PostgresServer;
  let s3: TestS3;
  let owed: OwedReceiver;
  let signed: Receiver;
  const running = new Set<TestProcess>();
  let isOver = false;

  before(async () => {
    [postgres, s3, owed, signed] = await Promise.all([
      startPostgres(),
      startS3(),
      openOwedReceiver(),
      openReceiver(),
    ]);
  });
  after(async () => {
    isOver = true;
    await Promise.all([...running].map((one) => one.stop()));
    await Promise.all([postgres.stop(), s3.remove(), owed.close(), signed.close()]);
  });
  const env = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
  const old = service({ env, once: true });

  const begin = async (entry: string, env: Record<string, string>) => {
    const one = await start(entry, env);
    running.add(one);
    return one;
  };
  const end = async (...all: TestProcess[]) => {
    await Promise.all(all.map((one) => one.stop()));
    for (const one of all) running.delete(one);
  };
  const move = async (env: Record<string, string>, ...args: string[]) => {
    const one = launch('dist/scripts/move/main.js', env, args);
    const code = await one.exited;
    return { code, output: one.stdout(), complaint: one.stderr() };
  };

  it('moves everything while mail arrives, and loses none', async () => {
    const [httpPort, oldPort, newPort] = await Promise.all([freePort(), freePort(), freePort()]);
    const oldEnv = {
      ...old.env,
      BIND_HOST: '127.0.0.1',
      PORT: `${httpPort}`,
      PUBLIC_URL: `http://127.0.0.1:${httpPort}`,
      SMTP_PORT: `${oldPort}`,
    };
    const changes = { ...s3.env, DATABASE_URL: postgres.url };
    const newEnv = { ...oldEnv, ...changes, SMTP_PORT: `${newPort}` };
    const file = join(old.config.dataDir, 'new.env');
    await writeFile(
      file,
      Object.entries(changes)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );

    const [web, worker, smtp] = await Promise.all([
      begin('dist/api/server.js', oldEnv),
      begin('dist/jobs/worker.js', oldEnv),
      begin('dist/haraka-plugin/server.js', oldEnv),
    ]);
    const api = openApi(() => ({
      apiUrl: `http://127.0.0.1:${httpPort}/api`,
      token: old.workspace.token,
    }));
    await openMailboxes({ api, owed }, MAILBOXES);
    await api.json({ method: 'POST', path: '/mailboxes', body: { name: 'signed' } });
    const { secret } = await api.json<{ secret: string }>({
      method: 'POST',
      path: '/mailboxes/signed/webhooks',
      body: { url: signed.url },
    });

    const ledger = new Ledger('moved');
    let port = oldPort;
    const load = { port: () => port, domain: 'one.test', mailboxes: MAILBOXES };
    const sending = sendMails({ ...load, pauseMs: 150, largeEvery: 7 }, ledger, () => isOver);
    const accepted = async (more: number) => {
      const enough = ledger.count('accepted') + more;
      await eventually('mail to be accepted', () => ledger.count('accepted') >= enough);
    };
    const mailSigned = async () => {
      const client = await SmtpClient.open(port);
      const { code } = await client.send({
        from: 'a@elsewhere.example',
        to: ['signed@one.test'],
        data: largeMail('signed'),
      });
      expect(code).to.equal(250);
      client.drop();
    };

    await mailSigned();
    const told = JSON.parse((await signed.request(1)).body.toString()) as Told;
    const { url } = told.message.attachments[0]!;
    await accepted(10);
    const tooEarly = await move(oldEnv, '--to', file);
    expect(tooEarly).to.include({ code: 1 });
    expect(tooEarly.complaint).to.include('stop web and worker first');

    const before = await api.json<{ mark: string; messages: { id: string }[] }>({
      path: '/mailboxes/first/messages?limit=100&view=summary',
    });
    await end(web, worker);
    const began = ledger.count('accepted');
    const moved = await move(oldEnv, '--to', file);
    expect(moved.complaint).to.equal('');
    expect(moved.code).to.equal(0);
    await accepted(10); // includes large mail, which is stored in the old folder
    await begin('dist/haraka-plugin/server.js', newEnv);
    port = newPort;
    await end(smtp);
    const again = await move(oldEnv, '--to', file);
    expect(again.complaint).to.equal('');
    expect(again.code).to.equal(0);
    expect(again.output)
      .to.match(/^mails +0 +0 +0 +\d+$/m)
      .and.match(/^Blobs: [1-9]\d* copied/m);
    expect(ledger.count('accepted') - began, 'mail accepted meanwhile').to.be.above(10);

    const after = await Promise.all([
      begin('dist/api/server.js', newEnv),
      begin('dist/jobs/worker.js', newEnv),
    ]);
    await accepted(10);
    await mailSigned();
    isOver = true;
    await sending;
    await untilIngested({ redis: old.context.redis });
    expect(faultsOf(await judge({ api, owed }, ledger, MAILBOXES))).to.deep.equal([]);

    let { mark } = before;
    const seen: string[] = [];
    for (;;) {
      const path = `/mailboxes/first/messages/wait?count=1&timeout=0&view=summary&mark=${mark}`;
      const answer = await api.json<{ mark: string; messages: { id: string }[] }>({ path });
      if (answer.messages.length === 0) break;
      seen.push(...answer.messages.map(({ id }) => id));
      ({ mark } = answer);
    }
    const { total } = await api.json<{ total: number }>({ path: '/mailboxes/first/messages' });
    expect(new Set(seen).size, 'messages after a mark from before the move').to.equal(seen.length);
    const known = before.messages.map(({ id }) => id); // some of them can be above the mark
    expect(new Set([...known, ...seen]).size).to.equal(total);

    const { body, headers } = await signed.request(2);
    new Webhook(secret).verify(body, headers);
    expect((await fetch(url)).status).to.equal(200);

    await end(...after);
    const tooLate = await move(oldEnv, '--to', file);
    expect(tooLate).to.include({ code: 1 });
    expect(tooLate.complaint).to.include('already in use');
  });
});
