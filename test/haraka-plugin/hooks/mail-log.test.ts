import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeCertificates } from '../../support/servers/certificates.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { smtp } from '../../support/process/smtp-front.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import { tempDir } from '../../support/context/temp-dir.ts';

const MAIL = 'Subject: secret subject\r\n\r\nsecret text\r\n';
const ALICE = 'alice@acme.test';
const NOBODY = 'nobody@acme.test';

interface Line {
  level: string;
  message: string;
  durationMs: number;
}

describe('the log of mail', () => {
  const dir = tempDir('all');
  const tls: Record<string, string> = {};
  before(async () => {
    const { good, remove } = await makeCertificates();
    for (const [name, bytes] of [
      ['TLS_CERT_FILE', good.cert],
      ['TLS_KEY_FILE', good.key],
    ] as const) {
      tls[name] = join(dir.path, name);
      await writeFile(tls[name], bytes);
    }
    await remove();
  });
  const front = smtp({ env: () => ({ LOG_LEVEL: 'info', ...tls }) });
  /** Lines of earlier tests. */
  let earlier = 0;
  beforeEach(() => {
    earlier += mailLines().length;
  });

  const mailLines = () =>
    front.process
      .stdout()
      .split('\n')
      .filter((line) => /"message":"mail (?:accepted|refused)"/.test(line))
      .map((line) => JSON.parse(line) as Line)
      .slice(earlier);
  const written = (count: number) =>
    eventually(`${count} lines`, () => mailLines().length >= count);

  it('has one line per accepted mail', async () => {
    const client = await SmtpClient.connect(front.port);
    await client.reply();
    await client.command('EHLO client.example');
    await client.startTls();
    await client.command('EHLO client.example');
    await client.envelope('s@client.example', ALICE, 'bob@acme.test', NOBODY);
    const reply = await client.data(MAIL);
    await client.command('MAIL FROM:<s@client.example>');
    await client.command('RSET');
    await client.quit();
    await front.send(MAIL);
    await written(2);

    const [first, second] = mailLines();
    expect(first).to.include({ level: 'info', message: 'mail accepted', process: 'smtp' });
    expect(first).to.include({ size: MAIL.length, recipients: 2, remote: '127.0.0.1', tls: true });
    expect(first).to.include({ refusedRecipients: 1, lastRefusedRecipient: NOBODY });
    expect(reply.text).to.include((first as { ingestId?: string }).ingestId);
    expect(first?.durationMs).to.be.within(0, 60_000);
    expect(second).to.include({ message: 'mail accepted', recipients: 1, tls: false });
    expect(second).not.to.have.property('refusedRecipients');
    expect(mailLines()).to.have.length(2);
    expect(front.process.stdout()).not.to.include('secret');
  });

  it('has one line with the reason per refused mail', async () => {
    const client = await front.open();
    await client.envelope('s@client.example', NOBODY, 'else@acme.test');
    await client.command('RSET');
    await client.command('MAIL FROM:<s@client.example> SIZE=99999999');
    await client.envelope('s@client.example', ALICE);
    await client.data(`${'Received: x\r\n'.repeat(101)}${MAIL}`);
    await client.envelope('s@client.example', ALICE);
    await front.client.config('SET', 'maxmemory', '1');
    await client.data(MAIL);
    client.drop();
    await written(4);

    const facts = { level: 'info', message: 'mail refused', remote: '127.0.0.1', tls: false };
    const lines = mailLines();
    expect(lines).to.have.length(4);
    for (const line of lines) expect(line).to.include(facts);
    expect(lines[0]).to.include({ code: 550, reason: 'unknown_recipient', recipients: 0 });
    expect(lines[0]).to.include({ refusedRecipients: 2, lastRefusedRecipient: 'else@acme.test' });
    expect(lines[1]).to.include({ code: 552, reason: 'too_big', size: 0 });
    expect(lines[2]).to.include({ code: 554, reason: 'mail_loop', recipients: 1 });
    expect(lines[3]).to.include({ code: 452, reason: 'queue_full', size: MAIL.length });
    expect(front.process.stdout()).not.to.include('secret');
  });

  it('is empty with LOG_MAIL=false', async () => {
    await front.restart({ LOG_MAIL: 'false' });
    earlier = 0;
    expect((await front.send(MAIL)).code).to.equal(250);
    await front.send(MAIL, [NOBODY]);
    await front.process.stop();
    expect(mailLines()).to.deep.equal([]);
  });
});
