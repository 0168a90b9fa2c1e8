import { expect } from 'chai';
import { addressFaults } from '../../../core/addresses.ts';
import { spell, spellings } from '../../support/mail/addresses.ts';
import { statusOf } from '../../support/clients/smtp-client.ts';
import { smtp } from '../../support/process/smtp-front.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const LONG = 'x'.repeat(65);

/** The path of `RCPT TO:` and the expected reply. */
const RECIPIENTS: [path: string, reply: string][] = [
  ['<>', '501 5.1.3'],
  ['<postmaster>', '550 5.1.1'],
  ['<alice>', '501'],
  ['<Alice@acme.test>', '250 2.1.5'],
  ['alice@acme.test', '250 2.1.5'],
  ['<"alice"@acme.test>', '250 2.1.5'],
  ['<"al\\ice"@acme.test>', '250 2.1.5'],
  ['<"alice+two words"@acme.test>', '250 2.1.5'],
  ['<"alice@acme.test"@elsewhere.test>', '550 5.7.1'],
  // RFC 5321 section 4.1.1.3: a source route is ignored
  ['<@relay.example,@other.example:alice@acme.test>', '250 2.1.5'],
  // the percent sign has no special meaning in a local part
  ['<alice%acme.test@elsewhere.test>', '550 5.7.1'],
  ['<elsewhere.test!alice@acme.test>', '550 5.1.1'],
  ['<alice@[127.0.0.1]>', '550 5.7.1'],
  ['<alice@@acme.test>', '501'],
  ['<alice@acme.test@elsewhere.test>', '501'],
  ['<.alice@acme.test>', '501'],
  ['<al..ice@acme.test>', '501'],
  [`<${LONG}@acme.test>`, '501'],
  [`<alice@${`${'x'.repeat(60)}.`.repeat(5)}test>`, '501'],
  ['<alice@acme.test', '501'],
  ['<alice@acme.test> <bob@acme.test>', '501'],
  ['<__proto__@acme.test>', '550 5.1.1'],
  ['<constructor@acme.test>', '550 5.1.1'],
];

describe('SMTP: addresses', () => {
  const front = smtp({ env: { SMTP_MAX_ERRORS: '0', MAIL_DOMAIN: 'acme.test' } });

  const answers = async (...lines: (string | Buffer)[]) => {
    const client = await front.open();
    const replies: string[] = [];
    for (const line of lines) {
      client.write(Buffer.concat([Buffer.from(line), latin1('\r\n')]));
      const { code, text } = await client.reply();
      replies.push(`${code} ${text}`);
    }
    await client.quit();
    return replies;
  };
  const toRecipient = async (path: string | Buffer, mail = 'MAIL FROM:<s@client.example>') =>
    (await answers(mail, Buffer.concat([latin1('RCPT TO:'), Buffer.from(path)])))[1];

  for (const [path, reply] of RECIPIENTS) {
    const shown = path.length > 60 ? `${path.slice(0, 60)}...` : path;
    it(`answers RCPT TO:${shown} with ${reply}`, async () => {
      expect(await toRecipient(path)).to.match(new RegExp(`^${reply}`));
    });
  }

  for (const spelling of spellings) {
    const { means, source } = spelling;
    const path = `<${spell(spelling, 'acme.test')}>`;
    if ('fault' in means) {
      it(`rejects ${JSON.stringify(path)} by ${source} with the reason`, async () => {
        const reply = (await toRecipient(path, 'MAIL FROM:<s@client.example> SMTPUTF8'))!;
        if (means.fault === 'unicode') expect(reply).to.match(/^501 5\.1\.3 .*UTF-8/);
        else
          expect(reply.toLowerCase()).to.equal(
            `501 5.1.3 ${addressFaults[means.fault]}`.toLowerCase(),
          );
      });
    } else {
      it(`accepts ${JSON.stringify(path)} by ${source}`, async () => {
        const client = await front.open();
        await client.command('MAIL FROM:<s@client.example> SMTPUTF8');
        expect((await client.command(`RCPT TO:${path}`)).code).to.equal(250);
        const { messages } = await front.job(await client.data('Subject: x\r\n\r\n'));
        expect(messages[0]).to.deep.include({ mailboxId: 'mbx_alice', tag: means.tag });
      });
    }
  }

  it('describes the syntax if a command has no path', async () => {
    for (const command of [
      'RCPT TO <alice@acme.test>',
      'RCPT TO:<alice@acme.test> <b@acme.test>',
    ]) {
      const [, reply] = await answers('MAIL FROM:<s@client.example>', command);
      expect(reply, command).to.match(/^501 .*RCPT TO:<name@domain>/);
    }
    const [reply] = await answers('MAIL FROM:<s@client.example.>');
    expect(reply).to.match(/^501 5\.1\.7 The domain ends in a dot/);
  });

  it('keeps quoted text in a tag, and the spelling of the sender', async () => {
    const client = await front.open();
    await client.envelope('"a b"@client.example', '"Alice+two words"@acme.test');
    const { sender, messages } = await front.job(await client.data('Subject: x\r\n\r\n'));
    expect(sender).to.equal('"a b"@client.example');
    expect(messages[0]).to.include({
      mailboxId: 'mbx_alice',
      tag: 'two words',
      recipient: '"Alice+two words"@acme.test',
    });
  });

  describe('beyond ASCII (RFC 6531)', () => {
    const UTF8_MAIL = 'MAIL FROM:<s@client.example> SMTPUTF8';

    it('require SMTPUTF8', async () => {
      expect((await answers('MAIL FROM:<jürgen@client.example>'))[0]).to.match(/^553 5\.6\.7 /);
      expect(await toRecipient('<alice+für@acme.test>')).to.match(/^553 5\.6\.7 /);
      expect(await toRecipient('<alice@äcme.test>')).to.match(/^553 5\.6\.7 /);
    });

    it('are looked up with SMTPUTF8', async () => {
      const sender = 'MAIL FROM:<jürgen@bücher.example> BODY=8BITMIME SMTPUTF8';
      const [mail, tagged, unknown, foreign] = await answers(
        sender,
        'RCPT TO:<alice+für@acme.test>',
        'RCPT TO:<jürgen@acme.test>',
        'RCPT TO:<alice@äcme.test>',
      );
      expect(mail).to.match(/^250 /);
      expect(tagged).to.match(/^250 /);
      expect(unknown).to.match(/^550 5\.1\.1 /);
      expect(foreign).to.match(/^550 5\.7\.1 /);
    });

    it('are passed to the job as written', async () => {
      const client = await front.open();
      await client.command('MAIL FROM:<jürgen@bücher.example> SMTPUTF8');
      await client.command('RCPT TO:<alice+für@acme.test>');
      const job = await front.job(await client.data('Subject: für\r\n\r\n'));
      expect(job.sender).to.equal('jürgen@bücher.example');
      expect(job.messages[0]).to.include({ tag: 'für', recipient: 'alice+für@acme.test' });
    });

    it('are rejected in Latin-1, with or without SMTPUTF8', async () => {
      for (const parameter of ['', ' SMTPUTF8']) {
        const [mail] = await answers(latin1(`MAIL FROM:<j\xfcrgen@client.example>${parameter}`));
        expect(mail).to.match(/^501 /);
      }
      expect(await toRecipient(latin1('<alice+f\xfcr@acme.test>'), UTF8_MAIL)).to.match(/^501 /);
    });

    it('are decoded as UTF-8 also after HELO', async () => {
      const replies = await answers(
        'HELO client.example',
        'MAIL FROM:<s@client.example>',
        'RSET',
        'EHLO client.example',
        UTF8_MAIL,
        'RCPT TO:<jürgen@acme.test>',
      );
      expect(replies.at(-1)).to.match(/^550 5\.1\.1 /);
    });
  });

  it('are refused in time, whatever repeats in them', async () => {
    for (const address of [`${'a'.repeat(60)}(@b.c`, `${'a'.repeat(60)}(`]) {
      expect((await answers(`MAIL FROM:<${address}>`))[0]).to.match(/^501 5\.1\.7 /);
      expect(await toRecipient(`<${address}>`)).to.match(/^501 5\.1\.3 /);
    }
  });

  describe('of senders, and of recipients that are caught', () => {
    const BOUNCE = `bounce+${'a'.repeat(240)}`;
    const FOREIGN = [
      'root',
      'www-data@shop_web_1',
      'ann@my_host.internal',
      'ann..lee@docomo.example',
      '.ann@docomo.example',
      'ann.@docomo.example',
      `${BOUNCE}@lists.example`,
    ];
    const catching = smtp({
      env: {
        MAIL_DOMAIN: 'acme.test',
        CATCH_ALL_MAILBOX: 'bob@acme.test',
        CATCH_ALL_CIDRS: '127.0.0.0/8',
        SMTP_MAX_ERRORS: '0',
      },
    });

    for (const address of FOREIGN) {
      it(`accept ${address.slice(0, 40)}, and keep it as sent`, async () => {
        const client = await catching.open();
        await client.envelope(address, address);
        const { sender, messages } = await catching.job(await client.data('Subject: x\r\n\r\n'));
        expect(sender).to.equal(address);
        expect(messages).to.have.length(1);
        expect(messages[0]).to.deep.include({ mailboxId: 'mbx_bob', recipient: address });
        expect(messages[0]!.envelopeTo).to.deep.equal([address]);
      });
    }

    for (const [address, reply] of [
      [`x${BOUNCE}12345678@lists.example`, '501'],
      ['a b@lists.example', '501'],
      ['ann@', '501'],
      ['@lists.example', '501'],
      ['ann@_.', '501'],
      ['ann@-x.example', '501'],
      ['ann@a..example', '501'],
    ] as const) {
      it(`refuse ${address.slice(0, 40)} with the reason`, async () => {
        const client = await catching.open();
        const [mail] = await client.envelope(address);
        expect(statusOf(mail!)).to.equal(`${reply} 5.1.7`);
        const [, rcpt] = await client.envelope('s@client.example', address);
        expect(statusOf(rcpt!)).to.equal(`${reply} 5.1.3`);
        expect(rcpt!.text.slice(6)).to.equal(mail!.text.slice(6));
      });
    }

    it('do not make the addresses of mailboxes more lenient', async () => {
      for (const address of [`alice+${'a'.repeat(60)}@acme.test`, 'alice+a..b@acme.test']) {
        const client = await catching.open();
        const [, reply] = await client.envelope('s@client.example', address);
        expect(statusOf(reply!), address).to.equal('501 5.1.3');
      }
    });
  });
});
