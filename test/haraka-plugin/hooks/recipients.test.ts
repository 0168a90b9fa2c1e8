import { expect } from 'chai';
import { openRecipientDirectory } from '../../../core/directory/recipients.ts';
import { cpuMsOf } from '../../bench/accounting/processes.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { statusOf } from '../../support/clients/smtp-client.ts';
import { MAIL, PREFIX, fillDirectory, smtp } from '../../support/process/smtp-front.ts';

describe('SMTP: recipients', () => {
  const front = smtp({ env: { SMTP_MAX_RCPT: '3' } });

  const answer = async (recipient: string) => {
    const client = await front.open();
    const [, reply] = await client.envelope('sender@client.example', recipient);
    return statusOf(reply!);
  };

  for (const [what, recipient, reply] of [
    ['a mailbox', 'alice@acme.test', '250 2.1.5'],
    ['a mailbox in other letters', 'ALice@ACME.Test', '250 2.1.5'],
    ['a mailbox in quotes', '"alice"@acme.test', '250 2.1.5'],
    ['an unknown mailbox', 'nobody@acme.test', '550 5.1.1'],
    ['postmaster, like any other name', 'postmaster@acme.test', '550 5.1.1'],
    ['a foreign domain', 'alice@elsewhere.test', '550 5.7.1'],
    ['an empty recipient', '', '501 5.1.3'],
  ] as const) {
    it(`replies ${reply} to ${what}`, async () => {
      expect(await answer(recipient)).to.equal(reply);
    });
  }

  it('rejects an expired mailbox with 550 5.1.1 from its last millisecond on', async () => {
    const directory = openRecipientDirectory(front.client, PREFIX);
    const expiresAt = Date.now() + 300;
    await directory.add({ address: 'short@acme.test', mailboxId: 'mbx_short', expiresAt });
    const client = await front.open();
    await client.command('MAIL FROM:<sender@client.example>');
    const reply = async () => {
      const { code, text } = await client.command('RCPT TO:<short@acme.test>');
      return `${code} ${text}`;
    };
    const before = await reply();
    if (Date.now() < expiresAt) expect(before).to.equal('250 2.1.5 Recipient OK');
    await eventually('the expiry', () => Date.now() >= expiresAt);
    expect(await reply()).to.equal('550 5.1.1 Mailbox expired');
  });

  it('adds each distinct mailbox and tag to the job, as written', async () => {
    const client = await front.open();
    await client.envelope('S@client.example', 'Alice+Sign.Up@Acme.test', 'bob@acme.test');
    await client.command('RCPT TO:<alice+Sign.Up@acme.test>');
    const job = await front.job(await client.data(MAIL));
    expect(job.sender).to.equal('S@client.example');
    expect(
      job.messages.map(({ mailboxId, tag, recipient }) => ({ mailboxId, tag, recipient })),
    ).to.deep.equal([
      { mailboxId: 'mbx_alice', tag: 'Sign.Up', recipient: 'Alice+Sign.Up@Acme.test' },
      { mailboxId: 'mbx_bob', tag: null, recipient: 'bob@acme.test' },
    ]);
    expect(job.messages.map(({ id }) => id)).to.satisfy((ids: string[]) =>
      ids.every((id) => /^msg_[0-9a-z]{26}$/.test(id)),
    );
  });

  it('accepts mail from the null sender', async () => {
    const reply = await front.send(MAIL, ['alice@acme.test'], '');
    expect((await front.job(reply)).sender).to.equal('');
  });

  it('replies 452 4.5.3 to recipients above SMTP_MAX_RCPT', async () => {
    const client = await front.open();
    const replies = await client.envelope(
      'sender@client.example',
      ...['1', '2', '3', '4'].map((tag) => `alice+${tag}@acme.test`),
    );
    expect(replies.map(({ code }) => code)).to.deep.equal([250, 250, 250, 250, 452]);
    expect(replies.at(-1)!.text).to.match(/^4\.5\.3 /);
    expect((await front.job(await client.data(MAIL))).messages).to.have.length(3);
  });

  it('takes any number of tags on a private instance, and the same time for each', async () => {
    await front.restart({ SMTP_MAX_RCPT: '0' });
    const client = await front.open();
    await client.command('MAIL FROM:<sender@client.example>');
    const name = async (from: number) => {
      const before = await cpuMsOf(front.process.child.pid!);
      for (let tag = from; tag < from + 1000; tag += 1) {
        client.write(`RCPT TO:<alice+${tag}@acme.test>\r\n`);
      }
      for (let n = 0; n < 1000; n += 1) expect((await client.reply()).code).to.equal(250);
      return (await cpuMsOf(front.process.child.pid!)) - before;
    };
    const spent: number[] = [];
    for (let from = 0; from < 8000; from += 1000) spent.push(await name(from));
    // The first thousand are slower, because their code is not optimized yet.
    expect(spent.at(-1)! + spent.at(-2)!, `${spent.join(', ')} ms`).to.be.below(
      1.5 * (spent[0]! + spent[1]!),
    );
  });

  it('replies 452 4.5.3 to tags of a mailbox above SMTP_MAX_TAGS, and to no plain address', async () => {
    await front.restart({ SMTP_MAX_TAGS: '2', SMTP_MAX_RCPT: '0' });
    const client = await front.open();
    const to = ['alice+1', 'alice+2', 'alice+2', 'alice+3', 'alice', 'bob+3', 'bob+4', 'bob+5'];
    const [, ...replies] = await client.envelope(
      'sender@client.example',
      ...to.map((name) => `${name}@acme.test`),
    );
    expect(replies.map(({ code }) => code)).to.deep.equal([250, 250, 250, 452, 250, 250, 250, 452]);
    expect(replies[3]!.text).to.match(/^4\.5\.3 Too many tags/);
    const { messages } = await front.job(await client.data(MAIL));
    expect(messages.map(({ mailboxId, tag }) => `${mailboxId} ${tag}`)).to.deep.equal([
      'mbx_alice 1',
      'mbx_alice 2',
      'mbx_alice null',
      'mbx_bob 3',
      'mbx_bob 4',
    ]);
  });

  it('limits the tags of a mailbox to 20 on other instances', async () => {
    await front.restart({ SMTP_MAX_RCPT: '0', BIND_HOST: '0.0.0.0' });
    const client = await front.open();
    const to = Array.from({ length: 30 }, (_, n) => `alice+${n}@acme.test`);
    const [, ...replies] = await client.envelope('sender@client.example', ...to);
    expect(replies.filter(({ code }) => code === 250)).to.have.length(20);
  });

  it('replies 451 while the directory is incomplete', async () => {
    await front.client.flushall();
    expect(await answer('alice@acme.test')).to.equal('451 4.3.0');
    await fillDirectory(front.client);
    expect(await answer('alice@acme.test')).to.equal('250 2.1.5');
  });

  it('delays replies once a connection has named 20 unknown recipients', async () => {
    const client = await front.open();
    const names = Array.from({ length: 20 }, (_, i) => `nobody${i}@acme.test`);
    const started = Date.now();
    await client.envelope('sender@client.example', ...names);
    const before = Date.now() - started;
    // a pipelined group, which Haraka must not lose while the reply is delayed
    client.write('RCPT TO:<nobody@acme.test>\r\nRCPT TO:<alice@acme.test>\r\n');
    const first = await client.reply();
    const after = Date.now() - started - before;
    expect([first.code, (await client.reply()).code]).to.deep.equal([550, 250]);
    expect(before).to.be.lessThan(18_000); // with delays: 20 s
    expect(after).to.be.greaterThan(900);
  });
});

describe('SMTP: postmaster', () => {
  const front = smtp({ env: { POSTMASTER: 'bob', MAIL_DOMAIN: 'acme.test' } });

  for (const recipient of ['postmaster', 'PostMaster', 'Postmaster@ACME.test']) {
    it(`delivers <${recipient}> to the mailbox in POSTMASTER`, async () => {
      const { messages } = await front.job(await front.send(MAIL, [recipient]));
      expect(messages[0]!.mailboxId).to.equal('mbx_bob');
    });
  }

  it('rejects postmaster at a foreign domain', async () => {
    expect((await front.send(MAIL, ['postmaster@elsewhere.test'])).code).to.equal(550);
  });
});
