import { expect } from 'chai';
import { smtp } from '../../support/process/smtp-front.ts';

/** A second mail, hidden behind a sequence that some servers accept as the end of DATA. */
const HIDDEN =
  'MAIL FROM:<smuggled@client.example>\r\nRCPT TO:<bob@acme.test>\r\nDATA\r\nx\r\n.\r\n';

describe('SMTP: smuggling', () => {
  const front = smtp();

  const send = async (end: string, body = 'body') => {
    const client = await front.open();
    await client.envelope('s@client.example', 'alice@acme.test');
    await client.command('DATA');
    client.write(`Subject: x\r\n\r\n${body}${end}${HIDDEN}`);
    return client;
  };

  for (const end of ['\n.\n', '\n.\r\n', '\r\n.\n', '\n.\r', '\r.\n']) {
    for (const [where, body] of [
      ['at once', 'body'],
      ['far into a large body', `${'x'.repeat(78)}\r\n`.repeat(5000)],
    ]) {
      it(`rejects ${JSON.stringify(end)} ${where!} and closes the connection`, async () => {
        const client = await send(end, body);
        const reply = await client.reply();
        expect(`${reply.code} ${reply.text}`).to.match(/^554 5\.6\.0 /);
        await client.closed();
      });
    }
  }

  for (const end of [
    ...['\r.\r', '\r.\r\n', '\r\n.\r', '\r\n\0.\r\n'],
    ...['\r\n.\r\r\n', '\r\r\n.\r\r\n', '\r\n.\0\r\n'],
  ]) {
    it(`accepts ${JSON.stringify(end)} as text of one mail`, async () => {
      const client = await send(end);
      const kept = await front.mail(await client.reply());
      expect(kept.toString('latin1')).to.contain('smuggled');
      expect((await client.command('NOOP')).code, 'no more replies').to.equal(250);
    });
  }

  it('ends the mail at the final dot of the client only', async () => {
    const client = await send('\r\n.\r\n');
    const job = await front.job(await client.reply());
    expect(job.messages.map(({ mailboxId }) => mailboxId)).to.deep.equal(['mbx_alice']);
  });
});
