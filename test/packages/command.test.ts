import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { verifyWebhook } from '@mayfly/client';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { ROOT } from '../../core/root.ts';
import { registerWebhook } from '../../core/webhooks/webhooks.ts';
import { deliverWebhook } from '../../jobs/deliver-webhook.ts';
import { tempDir } from '../support/context/temp-dir.ts';
import { QUICK_WEBHOOKS } from '../support/context/webhooks.ts';
import { whileWorking } from '../support/context/workers.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { MAYFLY, callCommand, runCommand, startCommand } from '../support/process/command.ts';
import { service } from '../support/service.ts';
import { type Receiver, openReceiver } from '../support/servers/receiver.ts';

const CODE =
  'Your verification code is 482913.\r\nhttps://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN';

describe('the command mayfly', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0', ...QUICK_WEBHOOKS }, once: true });
  const dir = tempDir('all');
  let env: Record<string, string>;

  before(async () => {
    env = { ...(await test.clientEnv()), XDG_CONFIG_HOME: dir.path };
  });

  const receive = (name: string, subject: string, text = '') => {
    const [from, header] = ['Shop <noreply@shop.example>', [`To: ${name}@one.test`]];
    return test.receive(name, { from, subject, text, header });
  };
  const mayfly = (...args: string[]) => callCommand(args, env);
  const printed = async (...args: string[]) => {
    const { code, stdout, stderr } = await mayfly(...args);
    expect({ code, stderr }, args.join(' ')).to.deep.equal({ code: 0, stderr: '' });
    return stdout;
  };
  const json = async (...args: string[]) =>
    JSON.parse(await printed(...args, '--json')) as Record<string, unknown>;

  it('lists more mailboxes than a page has', async () => {
    const labels = { run: 'paged' };
    await test.api.post('/api/mailboxes/batch').send({ count: 100, labels }).expect(201);
    await test.api.post('/api/mailboxes').send({ labels }).expect(201);
    const listed = await printed('mailbox', 'list', '--label', 'run=paged');
    expect(new Set(listed.trimEnd().split('\n')).size).to.equal(101);
    expect(await json('mailbox', 'delete', '--label', 'run=paged')).to.deep.equal({ deleted: 101 });
  });

  describe('with a mailbox', () => {
    before(async () => {
      expect(await printed('mailbox', 'create', 'hello')).to.equal('hello@one.test\n');
      await receive('hello', 'Your code', CODE);
    });

    it('prints the bare code and link, or JSON', async () => {
      expect(await printed('code', '--mailbox', 'hello')).to.equal('482913\n');
      expect(await json('code', '-m', 'hello', '--from', '@shop.example')).to.deep.equal({
        code: '482913',
      });
      const link = await printed('link', '-m', 'hello', '--kind', 'verify');
      expect(link).to.equal('https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN\n');
    });

    it('takes the address of a mailbox for its name', async () => {
      const address = (await printed('mailbox', 'create')).trim();
      await test.receive(address, { text: CODE });
      expect(await printed('code', '--mailbox', address)).to.equal('482913\n');
      expect(await printed('mailbox', 'delete', address)).to.equal('1 deleted\n');
    });

    it('prints the newest code and link, or with --order the oldest', async () => {
      await mayfly('mailbox', 'create', 'ordered');
      await receive('ordered', 'Your code', CODE);
      await receive('ordered', 'Your code', CODE.replace('482913', '731904').replace('YbN', 'YbM'));
      expect(await printed('code', '-m', 'ordered')).to.equal('731904\n');
      expect(await printed('code', '-m', 'ordered', '--order', 'oldest')).to.equal('482913\n');
      expect(await printed('link', '-m', 'ordered')).to.match(/YbM\n$/);
      expect(await printed('link', '-m', 'ordered', '--order', 'oldest')).to.match(/YbN\n$/);
    });

    it('waits in all mailboxes without --mailbox', async () => {
      const mark = (await printed('mark')).trim();
      expect(await printed('none', '--mark', mark, '--within', '0')).to.equal('');
      const address = (await printed('mailbox', 'create')).trim();
      const [name] = address.split('@');
      await test.receive(address, { subject: 'Anywhere', text: CODE });
      const after = ['--mark', mark, '--timeout', '0'];
      expect(await printed('code', ...after)).to.equal('482913\n');
      expect(await printed('link', ...after)).to.include('/verify?t=');
      expect(await printed('wait', ...after)).to.match(new RegExp(`^${name} {2}msg_\\w+ `));
      expect(await json('wait', ...after)).to.include({ mailbox: name, subject: 'Anywhere' });
      const { code, stderr } = await mayfly('none', '--mark', mark, '--within', '0');
      expect({ code, stderr }).to.have.property('code', 1);
      expect(stderr).to.include(`is in "${name}"`);
      expect((await mayfly('code', '--mailbox', '')).code).to.equal(2);
    });

    it('waits, reads and claims', async () => {
      const line = await printed('wait', '-m', 'hello', '--header', 'Subject: Your code');
      expect(line).to.match(/^msg_\w+ {2}noreply@shop\.example {2}Your code\n$/);
      const { id } = await json('wait', '-m', 'hello');
      expect(await printed('read', '-m', 'hello')).to.include('Subject: Your code\n');
      expect(await printed('read', '-m', 'hello', String(id), '--raw')).to.include('482913');
      const { base64 } = await json('read', '-m', 'hello', String(id), '--raw');
      expect(Buffer.from(String(base64), 'base64').toString()).to.include('482913');
      const claimed = await json('claim', '-m', 'hello', '--lease', '60', '--owner', 'w1');
      expect(claimed).to.include({ owner: 'w1' }).and.to.have.nested.property('message.id', id);
    });

    it('prints a mark, after which only later mail is considered', async () => {
      const mark = (await printed('mark', '-m', 'hello')).trim();
      const after = ['code', '-m', 'hello', '--mark', mark, '--timeout', '0'];
      expect((await mayfly(...after)).code).to.equal(1);
      await receive('hello', 'Your code', 'Your verification code is 731904.');
      expect(await printed(...after)).to.equal('731904\n');
    });

    it('selects mail with a verification code, or with a link of a kind', async () => {
      await receive('hello', 'News', 'https://shop.example/unsubscribe?u=1');
      const subjectOf = async (...criteria: string[]) =>
        (await json('wait', '-m', 'hello', '--timeout', '0', ...criteria))['subject'];
      expect(await subjectOf('--has-code')).to.equal('Your code');
      expect(await subjectOf('--has-link', 'unsubscribe')).to.equal('News');
      expect((await mayfly('none', '-m', 'hello', '--within', '0', '--has-code')).code).to.equal(1);
      const { code, stderr } = await mayfly('wait', '-m', 'hello', '--has-link', 'any');
      expect({ code, stderr }).to.have.property('code', 2);
      expect(stderr).to.include('--has-link must be one of verify, signIn,');
    });

    it('extends and releases a claim', async () => {
      const id = await receive('hello', 'Invite');
      const claim = ['claim', '-m', 'hello', '--subject', 'invite', '--timeout', '0'];
      const held = [id, '-m', 'hello', '--claim', String((await json(...claim))['id'])];
      expect(await json('extend', ...held, '--lease', '60')).to.have.property('expiresAt');
      expect(await printed('extend', ...held)).to.equal(`${held[4]}  for good\n`);
      expect((await mayfly(...claim)).code).to.equal(1);
      expect(await printed('release', ...held)).to.equal('');
      expect((await mayfly('release', ...held)).stderr).to.include('(not_found)');
      expect((await json(...claim))['message']).to.have.property('id', id);
      expect((await mayfly('release', ...held)).stderr).to.include('(claim_lost)');
      expect((await mayfly('release', '-m', 'hello', '--claim', 'clm_1')).code).to.equal(2);
    });

    it('sends, from standard input too', async () => {
      const to = ['send', '-m', 'hello', '--to', 'hello@one.test', '--subject', 'Note'];
      const { code, stdout } = await runCommand([...to, '--text', '-'], env, 'From a pipe.');
      expect(code).to.equal(0);
      expect(await printed('read', '-m', 'hello', stdout.trim())).to.include('From a pipe.');
    });

    it('answers and forwards a message, or the newest', async () => {
      for (const name of ['asked', 'asking', 'third']) await mayfly('mailbox', 'create', name);
      const to = ['--to', 'asked@one.test', '--to', 'third@one.test'];
      await printed('send', '-m', 'asking', ...to, '--subject', 'Tuesday?', '--text', 'At ten?');
      const received = async (name: string) => {
        const { id, subject } = await json(
          'wait',
          '-m',
          name,
          '--timeout',
          '0',
          '--order',
          'newest',
        );
        const content = await printed('text', '-m', name, String(id));
        return { id: String(id), subject, content };
      };
      const { id } = await received('asked');
      const answer = await printed('reply', '-m', 'asked', '--text', 'At nine.');
      expect(answer).to.match(/^msg_\w+\n$/);
      const { subject, content } = await received('asking');
      expect(subject).to.equal('Re: Tuesday?');
      expect(content).to.match(/^At nine\.\s[^]*> At ten\?/);
      const all = ['reply', '-m', 'asked', id, '--all', '--text', '-', '--html', '<p>At eight.'];
      const piped = await callCommand([...all, '--json'], env, 'At eight.');
      expect(JSON.parse(piped.stdout)).to.deep.include({
        deliveredTo: ['asking@one.test', 'third@one.test'],
      });
      expect((await received('third')).content).to.match(/^At eight\./);
      await printed('reply', '-m', 'third', '--forward', 'asking@one.test');
      expect((await received('asking')).subject).to.equal('Fwd: Re: Tuesday?');
    });

    it('answers nobody outside, and does not answer and forward at once', async () => {
      await receive('hello', 'From outside');
      const outside = await mayfly('reply', '-m', 'hello', '--text', 'Thank you.');
      expect({ ...outside, stderr: '' }).to.deep.equal({ code: 3, stdout: '', stderr: '' });
      expect(outside.stderr).to.include('noreply@shop.example');
      const both = await mayfly('reply', '-m', 'hello', '--all', '--forward', 'asking@one.test');
      expect({ ...both, stderr: '' }).to.deep.equal({ code: 2, stdout: '', stderr: '' });
      expect(both.stderr).to.include('--all and --forward exclude each other.');
    });

    it('stores, lists, searches and clears mail, and prints its parts', async () => {
      await mayfly('mailbox', 'create', 'parts');
      const file = join(dir.path, 'mail.eml');
      const url = 'https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN';
      await writeFile(
        file,
        `From: a@b.test\nSubject: Stored\nContent-Type: text/html\n\n<p>Hi.</p><a href="${url}">Verify</a>`,
      );
      const id = (await printed('store', '-m', 'parts', file, '--to', 'c@d.test')).trim();
      const piped = await callCommand(['store', '-m', 'parts', '-'], env, 'Subject: Piped\n\nx');
      expect(piped.code).to.equal(0);
      expect(await printed('list', '-m', 'parts', '--limit', '1')).to.match(/ {2}Piped\n$/);
      expect(await json('list', '-m', 'parts')).to.have.length(2);
      expect(await printed('search', 'mailbox:parts', 'stored')).to.match(
        /^parts {2}msg_.* {2}Stored\n$/,
      );
      expect(await printed('headers', '-m', 'parts', id)).to.include('Subject: Stored\n');
      expect(await printed('text', '-m', 'parts', id)).to.match(/^Hi\.\s+Verify\n$/);
      expect(await printed('links', '-m', 'parts', id, '--kind', 'verify')).to.equal(
        `verify\t${url}\n`,
      );
      expect(await printed('attachments', '-m', 'parts', id)).to.equal('');
      expect(await json('attachments', '-m', 'parts', id)).to.deep.equal([]);
      expect(await printed('read', '-m', 'parts', id)).to.match(/\n\nHi\.\s+Verify\n$/);
      expect(await printed('clear', '-m', 'parts')).to.equal('2 deleted\n');
      expect((await mayfly('store', '-m', 'parts', join(dir.path, 'none.eml'))).code).to.equal(2);
    });

    it('prints where answers go, a delivery report and an event above the text', async () => {
      const raw = [
        'From: a@b.test\r\nReply-To: help@b.test\r\nSender: robot@b.test',
        'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n',
        '--b\r\n\r\nNot delivered',
        '--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.b.test\r\n',
        'Final-Recipient: rfc822; gone@b.test\r\nAction: failed\r\nStatus: 5.1.1',
        '--b\r\nContent-Type: text/calendar; method=REQUEST\r\n',
        'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:1',
        'DTSTAMP:20300101T000000Z\r\nDTSTART;VALUE=DATE:20300102\r\nSUMMARY:Team day',
        'END:VEVENT\r\nEND:VCALENDAR\r\n--b--',
      ];
      await test.receive('hello', raw.join('\r\n'));
      const lines = (await printed('read', '-m', 'hello')).split('\n');
      expect(lines).to.include.members([
        'Sender: robot@b.test',
        'Reply-To: help@b.test',
        'Report: bounce gone@b.test failed 5.1.1',
        'Event: REQUEST 2030-01-02 Team day',
      ]);
    });

    it('prints the date of the mail, its receipt, and why it was read in part', async () => {
      const head =
        'Date: Mon, 02 Mar 2026 09:15:00 +0100\r\nContent-Type: multipart/mixed; boundary=b';
      const id = await test.receive('hello', `${head}\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(1100)}`);
      const page = await printed('read', '-m', 'hello', id);
      expect(page).to.include('Date: 2026-03-02T08:15:00.000Z\nReceived: 20');
      expect(page).to.include('Parse error: more than ');
      const undated = await test.receive('hello', 'Subject: x\r\n\r\nx');
      expect(await printed('read', '-m', 'hello', undated)).to.not.match(/^(?:Date|Parse error):/m);
    });

    it('leaves out control characters of a sender', async () => {
      await receive('hello', 'Red \u001b[31malert\u0007', 'a\u001b[2J\u202eb');
      expect(await printed('wait', '-m', 'hello', '--subject', 'alert')).to.include(
        'Red [31malert',
      );
      expect(await printed('read', '-m', 'hello')).to.include('a[2Jb');
    });

    it('prints the HTML as a reader sees it where the text part is blank', async () => {
      const type = 'multipart/alternative; boundary=x';
      const html = '<p>Your&nbsp;code<p>is <b>482913</b>.';
      const body = `--x\r\n\r\n\u200b \r\n--x\r\nContent-Type: text/html\r\n\r\n${html}\r\n--x--`;
      await test.receive('hello', `From: a@b.test\r\nContent-Type: ${type}\r\n\r\n${body}`);
      const page = await printed('read', '-m', 'hello');
      expect(page).to.include('Your code\n\nis 482913.').and.not.include('<p>');
    });

    it('creates an SMTP credential with the settings of a framework', async () => {
      const url = await printed('smtp', 'create', '--mailbox', 'hello');
      expect(url).to.match(/^smtp:\/\/[^:]+:[^@]+@[^:]+:\d+\n$/);
      const rails = await printed('smtp', 'create', '-m', 'hello', '--format', 'rails');
      expect(rails).to.match(/ {2}port: \d+,\n {2}user_name: '[\w-]+',\n {2}password: '\w+',/);
    });

    it('opens the browser', async () => {
      const opened = join(dir.path, 'opened');
      const browser = join(dir.path, 'browser');
      await writeFile(browser, `#!/bin/sh\necho "$1" >"${opened}"\n`);
      await chmod(browser, 0o755);
      const { stdout } = await callCommand(['open', '-m', 'hello@one.test', 'msg_1'], {
        ...env,
        BROWSER: browser,
      });
      const url = `${env['MAYFLY_URL']}/mailboxes/hello/messages/msg_1\n`;
      expect(stdout).to.equal(url);
      await eventually(
        'the browser',
        async () => (await readFile(opened, 'utf8').catch(() => '')) === url,
      );
    });
  });

  it('lists and deletes mailboxes by label', async () => {
    const address = await printed('mailbox', 'create', '--label', 'run=r1', '--expires-in', '900');
    const listed = await printed('mailbox', 'list', '--label', 'run=r1');
    expect(listed).to.match(new RegExp(`^${address.trim()}\t0 messages\texpires .+Z\n$`));
    expect(await json('mailbox', 'delete', '--label', 'run=r1')).to.deep.equal({ deleted: 1 });
    expect(await printed('mailbox', 'list', '--label', 'run=r1')).to.equal('');
  });

  describe('ends with', () => {
    before(() => mayfly('mailbox', 'create', 'exits'));

    it('1 when nothing came, with the nearest misses', async () => {
      await receive('exits', 'Welcome');
      const wait = ['wait', '-m', 'exits', '--subject', 'code', '--timeout', '0'];
      const { code, stdout, stderr } = await mayfly(...wait);
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
      expect(stderr).to.include('"Welcome" fails: subject');
      const asJson = await mayfly(...wait, '--json');
      expect(JSON.parse(asJson.stderr)).to.include({ code: 'timeout' });
    });

    it('1 when mail went to another mailbox, which it names', async () => {
      for (const name of ['elsewhere', 'awaited']) await mayfly('mailbox', 'create', name);
      await receive('elsewhere', 'Your code', 'Your verification code is 482913.');
      const mark = (await printed('mark', '-m', 'awaited')).trim();
      const wait = ['code', '-m', 'awaited', '--mark', mark, '--timeout', '0'];
      const { code, stderr } = await mayfly(...wait);
      expect(code).to.equal(1);
      expect(stderr).to.include('0 messages for awaited@one.test\n');
      expect(stderr).to.include('elsewhere@one.test');
    });

    it('1 from none when a message came, and 0 without', async () => {
      const none = ['none', '-m', 'exits', '--within', '0'];
      const came = await mayfly(...none, '--json');
      expect(came.code).to.equal(1);
      expect(JSON.parse(came.stderr)).to.include({ code: 'unexpected_message' });
      expect((await mayfly(...none, '--subject', 'Invoice')).code).to.equal(0);
    });

    it('2 on wrong usage, with empty standard output', async () => {
      for (const args of [
        [],
        ['sing'],
        ['read'],
        ['code', '-m', 'exits', '--timeout', 'soon'],
        ['code', '-m', 'exits', 'extra'],
        ['link', '-m', 'exits', '--kind', 'blue'],
        ['mailbox', 'delete'],
        ['mailbox', 'list', '--url', 'localhost:3000'],
        ['mailbox', 'list', '--url', 'ftp://localhost'],
        ['mailbox', 'list', '--token', 'mf_a\nb'],
        ['mailbox', 'list', '--label', 'run=1', '--label', 'run=2'],
        ['wait', '-m', 'exits', '--header', 'Subject'],
        ['wait', '-m', 'exits', '--timeout', '-1'],
        ['wait', '-m', 'exits', '--timeout', '5000'],
        ['none', '-m', 'exits', '--within', '5000'],
        ['code', '-m', 'exits', '--mark', ''],
        ['code', '-m', 'exits', '--order', 'first'],
        ['listen', '-m', 'exits', '--forward-to', 'http://localhost', '--secret', 'guess'],
      ]) {
        const { code, stdout, stderr } = await mayfly(...args);
        expect({ code, stdout }, args.join(' ')).to.deep.equal({ code: 2, stdout: '' });
        expect(stderr).to.include('mayfly');
      }
      const texts: [string[], string][] = [
        [['up', '--help'], '"up" is a command of the service'],
        [['mailbox'], '"mailbox" needs create, list, delete.'],
        [['code', '--timeout', '-1'], '--timeout takes a value. Write --timeout=VALUE if'],
        [['code', '-m', '-1'], '-m takes a value.'],
        [
          ['wait', '-m', 'exits', '--header', 'A:1', '--header', 'a:2'],
          '--header gives "a" twice.',
        ],
      ];
      for (const [args, text] of texts) {
        const { code, stderr } = await mayfly(...args);
        expect({ code }, args.join(' ')).to.deep.equal({ code: 2 });
        expect(stderr).to.include(text);
      }
      const asJson = await mayfly('read', '--json');
      const error = '--mailbox is missing.';
      expect(JSON.parse(asJson.stderr)).to.deep.equal({ error, code: 'usage' });
      const noToken = await runCommand(['mailbox', 'list'], {
        XDG_CONFIG_HOME: join(dir.path, 'no'),
      });
      expect(noToken.code).to.equal(2);
      expect(noToken.stderr).to.include('mayfly login');
    });

    it('3 when the service refuses', async () => {
      const missing = await mayfly('code', '-m', 'nobody', '--json');
      expect(missing.code).to.equal(3);
      expect(JSON.parse(missing.stderr)).to.include({ code: 'not_found', status: 404 });
      expect((await mayfly('mailbox', 'list', '--token', 'mf_wrong')).code).to.equal(3);
    });

    it('4 when something else answers', async () => {
      const receiver = await openReceiver();
      receiver.answer((_req, res) =>
        res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>'),
      );
      const { origin } = new URL(receiver.url);
      const { code, stderr } = await mayfly('mailbox', 'list', '--url', origin, '--json');
      await receiver.close();
      expect(code).to.equal(4);
      expect(JSON.parse(stderr)).to.include({ code: 'not_json', status: 200 });
    });

    it('0 when the reader of its output is gone', () => {
      const command = `"${process.execPath}" "${MAYFLY}" completion bash`;
      const script = `${command} | true; echo "\${PIPESTATUS[0]}"`;
      const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
      expect({ stdout, stderr }).to.deep.equal({ stdout: '0\n', stderr: '' });
    });

    it('4 when the service fails or cannot be reached', async () => {
      const receiver = await openReceiver();
      receiver.answer(500);
      const { origin } = new URL(receiver.url);
      expect((await mayfly('mailbox', 'list', '--url', origin)).code).to.equal(4);
      await receiver.close();
      const gone = await mayfly('mailbox', 'list', '--url', await closedUrl());
      expect(gone.code).to.equal(4);
      expect(gone.stderr).to.include('ECONNREFUSED');
    });
  });

  describe('listen', () => {
    let receiver: Receiver;
    beforeEach(async () => {
      receiver = await openReceiver();
    });
    afterEach(() => receiver.close());

    it('forwards the bytes of a webhook, signed with a secret that stays the same', async () => {
      await mayfly('mailbox', 'create', 'hooked');
      await registerWebhook(test.context, test.caller, 'hooked', receiver.url);
      const forwards = await openReceiver();
      const args = ['listen', '-m', 'hooked', '--forward-to', forwards.url];
      // Receivers on this machine are not behind the proxy.
      const proxied = { ...env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' };
      const listening = startCommand(args, proxied);
      const secret = (await listening.line()).replace('Secret ', '');
      expect(secret).to.match(/^whsec_[\w+/]{32}$/);
      await listening.noted('Ready.');
      await whileWorking(test, [deliverWebhook], async () => {
        const id = await receive('hooked', 'Grüße', CODE);
        const [real, forwarded] = [await receiver.request(1), await forwards.request(1)];
        expect(forwarded.body.toString()).to.equal(real.body.toString());
        expect(forwarded.headers['webhook-id']).to.equal(id);
        expect(forwarded.headers['content-type']).to.equal(real.headers['content-type']);
        new Webhook(secret).verify(forwarded.body, forwarded.headers);
        expect(
          (await verifyWebhook(forwarded.body, forwarded.headers, secret)).message.id,
        ).to.equal(id);
        expect(await listening.line()).to.match(new RegExp(`^204 {2}\\d+ ms {2}${id}$`));
      });
      await listening.stop();
      const again = startCommand([...args, '--json'], env);
      expect(JSON.parse(await again.line())).to.deep.equal({ secret });
      await again.stop();
      await forwards.close();
    });
  });

  it('tails the messages of the workspace', async () => {
    await mayfly('mailbox', 'create', 'tailed');
    const tailing = startCommand(['tail', '--subject', 'invoice'], env);
    await tailing.noted('Ready.');
    await receive('tailed', 'Welcome');
    await receive('tailed', 'Your invoice');
    expect(await tailing.line()).to.match(
      /^tailed {2}msg_\w+ {2}noreply@shop\.example {2}Your invoice$/,
    );
    await tailing.stop();
  });

  it('connects a client of MCP', async () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const { code, stdout, stderr } = await runCommand(['mcp'], env, `${JSON.stringify(request)}\n`);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).to.have.nested.property('result.tools');
    expect(stdout).to.include('wait_for_code');
  });

  it('keeps a login in a file that only its owner can read', async () => {
    const home = { XDG_CONFIG_HOME: join(dir.path, 'home') };
    const path = join(dir.path, 'home/mayfly/profile.json');
    await mkdir(join(dir.path, 'home/mayfly'), { recursive: true });
    await writeFile(path, 'old', { mode: 0o644 });
    const login = ['login', '--url', env['MAYFLY_URL']!];
    const { code, stdout } = await callCommand(login, home, `${env['MAYFLY_TOKEN']}\n`);
    expect({ code, stdout }).to.deep.equal({
      code: 0,
      stdout: `Stored in ${path}: admin of one.test.\n`,
    });
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect((await callCommand(['mailbox', 'list'], home)).code).to.equal(0);
    const elsewhere = await callCommand(['mailbox', 'list', '--url', 'http://127.0.0.1:1'], home);
    expect(elsewhere.stderr).to.include('No token for');
    expect((await callCommand([...login, '--token', 'mf_wrong'], home)).code).to.equal(3);
  });

  it('prints help with examples for each command', async () => {
    const overview = await printed('--help');
    const names = [...overview.matchAll(/^ {2}((?:[a-z]+ )?[a-z]+) {2}/gm)].map(
      ([, name = '']) => name,
    );
    expect(names).to.include.members([
      'mailbox create',
      'code',
      'smtp create',
      'mcp',
      'completion',
    ]);
    const example = /Examples:\n {2}mayfly smtp create/;
    expect(await printed('smtp', 'create', '-h')).to.match(example);
    expect(await printed('help', 'smtp', 'create')).to.match(example);
    const group = await printed('mailbox', '--help');
    expect(group).to.include('mailbox list').and.not.include('smtp create');
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(await printed('--version')).to.equal(`mayfly ${version}\n`);
  });
});

/** The URL of a port on which no server listens. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
}
