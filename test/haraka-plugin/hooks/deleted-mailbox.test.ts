import { expect } from 'chai';
import { service } from '../../support/service.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type TestProcess, start } from '../../support/process/process.ts';

const ROUNDS = 20;
const DATA = Buffer.from('Subject: x\r\n\r\ny\r\n');

describe('SMTP: a deleted mailbox', () => {
  let processes: TestProcess[];
  let clients: SmtpClient[];
  after(async () => {
    for (const client of clients) client.drop();
    await Promise.all(processes.map((process) => process.stop()));
  });
  const test = service({ once: true });
  const { api } = test;

  before(async () => {
    const ports = [await freePort(), await freePort()];
    processes = await Promise.all(
      ports.map((port) =>
        start('haraka-plugin/server', {
          ...test.env,
          ...{ BIND_HOST: '127.0.0.1', SMTP_PORT: `${port}` },
        }),
      ),
    );
    clients = await Promise.all(ports.map((port) => SmtpClient.open(port)));
  });

  it('is refused by every process as soon as the deletion is answered', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `box-${round}`;
      const to = `${name}@one.test`;
      await test.mailbox(name);
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
