import { expect } from 'chai';
import { type TestApi, openTestApi } from '../../support/context/api.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type TestProcess, start } from '../../support/process/process.ts';

const ROUNDS = 20;
const DATA = Buffer.from('Subject: x\r\n\r\ny\r\n');

describe('SMTP: a deleted mailbox', () => {
  let test: TestContext;
  let api: TestApi;
  let processes: TestProcess[];
  let clients: SmtpClient[];

  before(async () => {
    test = await openTestContext();
    api = openTestApi(test);
    const ports = [await freePort(), await freePort()];
    processes = await Promise.all(
      ports.map((port) =>
        start('haraka-plugin/server.ts', {
          ...test.env,
          ...{ BIND_HOST: '127.0.0.1', SMTP_PORT: `${port}`, TLS_SELF_SIGNED: 'false' },
        }),
      ),
    );
    clients = await Promise.all(ports.map((port) => SmtpClient.open(port)));
  });
  after(async () => {
    for (const client of clients) client.drop();
    await Promise.all(processes.map((process) => process.stop()));
    await test.close();
  });

  it('is refused by every process as soon as the deletion is answered', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `box-${round}`;
      const to = `${name}@one.test`;
      await api.post('/api/mailboxes').send({ name }).expect(201);
      for (const client of clients) {
        // The second mail finds the recipient in the memory of the process.
        for (let mail = 0; mail < 2; mail += 1) {
          const sent = await client.send({ from: 's@client.example', to: [to], data: DATA });
          expect(sent.code).to.equal(250);
        }
        await client.command('MAIL FROM:<s@client.example>');
      }
      await api.delete(`/api/mailboxes/${name}`).expect(204);
      const replies = await Promise.all(clients.map((client) => client.command(`RCPT TO:<${to}>`)));
      expect(replies.map(({ code }) => code)).to.deep.equal([550, 550]);
      for (const client of clients) await client.command('RSET');
    }
  });
});
