import { expect } from 'chai';
import { rejection } from '../../support/mocha/rejection.ts';
import { statusOf } from '../../support/clients/smtp-client.ts';
import { MAIL, smtp } from '../../support/process/smtp-front.ts';

describe('SMTP: the error limit', () => {
  const front = smtp({ env: { SMTP_MAX_ERRORS: '2' } });

  it('delays replies to errors after the first half, then closes the connection', async () => {
    const client = await front.open();
    const started = performance.now();
    expect((await client.command('NONSENSE')).code).to.equal(500);
    // a pipelined group, whose replies keep their order while one is delayed
    client.write('RCPT TO:<alice@acme.test>\r\nNOOP\r\n');
    expect((await client.reply()).code).to.equal(503);
    expect(performance.now() - started).to.be.greaterThan(900);
    expect((await client.reply()).code).to.equal(250);
    const last = await client.command('MAIL TO:<s@client.example>');
    expect(statusOf(last)).to.equal('421 4.7.0');
    await client.closed();
  });

  it('resets the count after an accepted mail', async () => {
    const client = await front.open();
    for (let mail = 0; mail < 3; mail += 1) {
      expect((await client.command('NONSENSE')).code).to.equal(500);
      await client.envelope('s@client.example', 'alice@acme.test');
      expect((await client.data(MAIL)).code).to.equal(250);
    }
  });

  it('allows 100 junk commands, then counts each as an error', async () => {
    const client = await front.open(); // EHLO is the first junk command
    for (let i = 0; i < 150; i += 1) expect((await client.command('RSET')).code).to.equal(250);
    for (const verb of ['NOOP', 'VRFY alice', 'HELP']) {
      for (let i = 0; i < 33; i += 1) {
        expect((await client.command(verb)).code).to.be.oneOf([250, 252]);
      }
    }
    const codes: number[] = [];
    for (let i = 0; i < 3; i += 1) codes.push((await client.command('NOOP')).code);
    expect(codes).to.deep.equal([250, 250, 421]);
    await client.closed();
  });

  it('closes the connection on HTTP at once, and runs no command hidden in it', async () => {
    const client = await front.open();
    client.write(
      'POST / HTTP/1.1\r\nHost: localhost\r\n\r\nMAIL FROM:<s@client.example>\r\nRCPT TO:<alice@acme.test>\r\n',
    );
    expect((await client.reply()).code).to.equal(421);
    await client.closed();
    const error = await rejection(client.reply());
    expect(String(error)).to.match(/connection closed, unread: $/);
  });

  it('ends a mail whose client keeps naming recipients', async () => {
    await front.restart({ SMTP_MAX_RCPT: '1', SMTP_MAX_ERRORS: '20' });
    const client = await front.open();
    await client.envelope('s@client.example', 'alice@acme.test');
    client.write('RCPT TO:<bob@acme.test>\r\n'.repeat(1001));
    for (let i = 0; i < 1000; i += 1) expect((await client.reply()).code).to.equal(452);
    expect((await client.reply()).code).to.equal(421);
    await client.closed();
  });

  it('follows the settings, and an accepted mail also resets the unknown recipients', async () => {
    await front.restart({
      SMTP_MAX_JUNK_COMMANDS: '0',
      SMTP_MAX_UNKNOWN_RCPT: '1',
      SMTP_IDLE_TIMEOUT_MS: '4000',
    });
    const client = await front.open();
    client.write('NOOP\r\n'.repeat(150));
    for (let i = 0; i < 150; i += 1) expect((await client.reply()).code).to.equal(250);
    const started = performance.now();
    for (let mail = 0; mail < 20; mail += 1) {
      await client.envelope('s@client.example', 'nobody@acme.test', 'alice@acme.test');
      expect((await client.data(MAIL)).code).to.equal(250);
    }
    expect(performance.now() - started, 'not slowed down').to.be.lessThan(18_000);
    await client.closed(); // sends nothing after it was closed
  });
});
