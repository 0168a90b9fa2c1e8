import { expect } from 'chai';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { statusOf } from '../../support/clients/smtp-client.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { MAIL, smtp } from '../../support/process/smtp-front.ts';

describe('SMTP: limits per address', () => {
  const front = smtp({ env: { SMTP_RATE_PER_IP: '3' } });

  const mailFrom = async (localAddress: string) => {
    const client = await front.open(localAddress);
    const [mail, recipient] = await client.envelope('s@client.example', 'alice@acme.test');
    const reply = recipient!.code === 250 ? await client.data(MAIL) : mail!;
    await client.quit();
    return statusOf(reply);
  };
  const openFiles = async () => (await readdir(`/proc/${front.process.child.pid}/fd`)).length;

  it('leave 100 of 1,000 connections open and let other addresses send', async () => {
    const before = await openFiles();
    const greetings: string[] = [];
    const sockets: Socket[] = [];
    for (let i = 0; i < 1000; i += 1) {
      // such a client never closes its side
      const socket = connect({ port: front.port, host: '127.0.0.1', allowHalfOpen: true });
      sockets.push(socket);
      socket.once('data', (greeting: Buffer) => greetings.push(greeting.toString('latin1', 0, 9)));
      await once(socket, 'connect');
    }
    try {
      await eventually('an answer to each', () => greetings.length === 1000);
      expect(greetings.filter((greeting) => greeting.startsWith('220 '))).to.have.length(100);
      expect(greetings.filter((greeting) => greeting === '421 4.7.0')).to.have.length(900);
      await eventually(
        'the end of the refused ones',
        async () => (await openFiles()) <= before + 100,
      );
      expect(await mailFrom('127.0.0.2')).to.equal('250 2.0.0');
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('counts each recipient, and replies 450 to those above SMTP_RATE_PER_IP', async () => {
    const client = await front.open('127.0.0.9');
    const to = Array.from({ length: 8 }, (_, n) => `alice+${n}@acme.test`);
    const replies = await client.envelope('s@client.example', ...to);
    const statuses = replies.slice(1).map(statusOf);
    expect(statuses.slice(0, 3)).to.deep.equal(Array(3).fill('250 2.1.5'));
    expect(statuses).to.include('450 4.7.1'); // the mail can span two windows of one minute
    expect((await client.data(MAIL)).code).to.equal(250);
  });

  it('replies 450 to MAIL above SMTP_RATE_PER_IP, only for that address', async () => {
    const answers: string[] = [];
    // the mails can span two windows of one minute
    for (let i = 0; i < 7; i += 1) answers.push(await mailFrom('127.0.0.3'));
    expect(answers.slice(0, 3)).to.deep.equal(Array(3).fill('250 2.0.0'));
    expect(answers).to.include('450 4.7.1');
    expect(await mailFrom('127.0.0.4')).to.equal('250 2.0.0');
  });
});
