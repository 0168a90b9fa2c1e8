import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { type SmtpClient, statusOf } from '../../support/clients/smtp-client.ts';
import { smtp } from '../../support/process/smtp-front.ts';

const line = `${'x'.repeat(998)}\r\n`;
const body = (bytes: number) => `Subject: x\r\n\r\n${line.repeat(bytes / line.length)}`;

describe('SMTP: bytes being received', () => {
  const front = smtp({ env: { SMTP_MAX_RECEIVING_BYTES: '8000000' } });
  const send = async (client: SmtpClient, bytes: number) => {
    await client.envelope('s@client.example', 'alice@acme.test');
    return statusOf(await client.data(body(bytes)));
  };

  it('are limited over all connections, with room left for small mail', async () => {
    const stuck = await front.open();
    await stuck.envelope('s@client.example', 'alice@acme.test');
    await stuck.command('DATA');
    stuck.write(body(3_000_000));

    const client = await front.open();
    await eventually('the arrival of what the stuck one has sent', async () => {
      const answer = await client.command('MAIL FROM:<s@client.example> SIZE=3000000');
      await client.command('RSET');
      return statusOf(answer) === '452 4.3.1';
    });
    expect(await send(client, 4_000_000), 'without SIZE, at the final dot').to.equal('452 4.3.1');
    expect(await send(client, 1_000_000)).to.equal('250 2.0.0');

    stuck.write('.\r\n');
    expect(statusOf(await stuck.reply())).to.equal('250 2.0.0');
    expect(await send(client, 3_000_000)).to.equal('250 2.0.0');
  });

  it('are released when their client disconnects', async () => {
    const client = await front.open();
    for (let gone = 0; gone < 5; gone += 1) {
      const dropped = await front.open();
      await dropped.envelope('s@client.example', 'alice@acme.test');
      await dropped.command('DATA');
      dropped.write(body(3_000_000));
      dropped.drop();
    }
    await eventually(
      'room for a large mail',
      async () => (await send(client, 3_000_000)) === '250 2.0.0',
    );
  });
});
