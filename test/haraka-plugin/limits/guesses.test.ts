import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { expect } from 'chai';
import { openCredentialDirectory } from '../../../core/directory/credentials.ts';
import { SmtpClient, statusOf } from '../../support/clients/smtp-client.ts';
import { openMetricReports } from '../../../core/metrics/shared-reports.ts';
import { samplesIn } from '../../support/docs/samples.ts';
import { type TestProcess, start } from '../../support/process/process.ts';
import { PREFIX, smtp } from '../../support/process/smtp-front.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { freePort } from '../../support/servers/free-port.ts';

const LIMIT = 5;
const KNOWN = 'alice@acme.test';
/** Known, unknown and foreign recipients. */
const SPELLINGS = [
  ...[KNOWN, 'nobody@acme.test', 'ALICE@Acme.Test', 'Nobody@ACME.test'],
  ...['alice+tag@acme.test', 'nobody+tag@acme.test', '"alice"@acme.test', '"no body"@acme.test'],
  ...['@relay.test:alice@acme.test', '@relay.test:nobody@acme.test', 'a@elsewhere.test'],
  ...['postmaster', 'postmaster@acme.test', '', 'x'.repeat(100), 'a@[127.0.0.1]'],
];

/** Another SMTP process with the same Redis. */
async function startSecond(dataDir: string): Promise<{ port: number; process: TestProcess }> {
  const port = await freePort();
  const process = await start('haraka-plugin/server', {
    ...{ DATA_DIR: dataDir, SMTP_PORT: `${port}`, BIND_HOST: '0.0.0.0' },
    ...{ SMTP_MAX_UNKNOWN_RCPT_PER_MINUTE: `${LIMIT}` },
  });
  return { port, process };
}

/** The only reply, its time, and the end of the connection after it. */
async function closedBy(client: SmtpClient, lines: string) {
  const reply = await client.command(lines);
  const at = performance.now();
  await client.closed();
  return { ...reply, at };
}

/**
 * The commands that Redis runs from now on, as text. `monitor()` of ioredis fails if a command and
 * the reply to MONITOR arrive together.
 */
async function monitor(path: string) {
  const socket = connect(path);
  let text = '';
  socket.setEncoding('utf8').on('data', (data: string) => (text += data));
  socket.write('MONITOR\r\n');
  await eventually('the monitor to run', () => text.startsWith('+OK'));
  return { commands: () => text, end: () => socket.destroy() };
}

describe('SMTP: unknown recipients of an address', () => {
  const front = smtp({
    env: {
      SMTP_MAX_UNKNOWN_RCPT_PER_MINUTE: String(LIMIT),
      SMTP_MAX_UNKNOWN_RCPT: '0',
      // without CATCH_ALL_CIDRS, loopback is that of a private instance
      BIND_HOST: '0.0.0.0',
      ...{ SMTP_RELAY_CIDRS: '127.0.0.8/32, 2001:db8::/32', TLS_SELF_SIGNED: 'true' },
    },
  });

  /** The status of each guess, one on a new connection each. */
  const guess = async (localAddress: string, count: number) => {
    const found: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const client = await SmtpClient.open(front.port, localAddress);
      const [, reply] = await client.envelope('s@client.example', `guess${at}@acme.test`);
      found.push(statusOf(reply!));
      client.drop();
    }
    return found;
  };

  it('above the limit make every RCPT get 421, known or not, without a lookup', async () => {
    const open = await front.open('127.0.0.2');
    const pipelined = await front.open('127.0.0.2');
    for (const client of [open, pipelined]) await client.envelope('s@client.example', KNOWN);
    expect(await guess('127.0.0.2', LIMIT)).to.deep.equal(Array(LIMIT).fill('550 5.1.1'));

    const second = await startSecond(front.dataDir);
    const { commands, end } = await monitor(front.client.options.path!);
    try {
      const began = performance.now();
      const refused = SPELLINGS.map(async (recipient) => {
        const client = await front.open('127.0.0.2');
        await client.command('MAIL FROM:<s@client.example>');
        return closedBy(client, `RCPT TO:<${recipient}>`);
      });
      const elsewhere = [KNOWN, 'nobody@acme.test'].map(async (recipient) => {
        const client = await SmtpClient.open(second.port, '127.0.0.2');
        await client.command('MAIL FROM:<s@client.example>');
        return closedBy(client, `RCPT TO:<${recipient}>`);
      });
      const all = await Promise.all([
        ...refused,
        ...elsewhere,
        closedBy(open, `RCPT TO:<${KNOWN}>`),
        closedBy(pipelined, `RCPT TO:<${KNOWN}>\r\nRCPT TO:<bob@acme.test>\r\nDATA`),
      ]);
      expect(new Set(all.map(({ text }) => text)).size).to.equal(1);
      expect(statusOf(all[0])).to.equal('421 4.7.0');
      for (const { at } of all) expect(at - began).to.be.greaterThan(1000);
      expect(commands()).to.include(':count:guesses:').and.not.to.include('directory:mailboxes');
    } finally {
      end();
      await second.process.stop();
    }

    const other = await front.open('127.0.0.3');
    const replies = await other.envelope('s@client.example', KNOWN, 'nobody@acme.test');
    expect(replies.map(statusOf), 'another address').to.deep.equal([
      ...['250 2.1.0', '250 2.1.5', '550 5.1.1'],
    ]);
    await front.process.stop();
    const reports = await openMetricReports(front.client, PREFIX).read();
    const reason = { reason: 'too_many_unknown_recipients' };
    const counts = reports.map(({ text }) =>
      samplesIn(text).sum('mayfly_smtp_refusals_total', reason),
    );
    expect(counts.reduce((sum, count) => sum + count)).to.equal(SPELLINGS.length + 4);
  });

  it('that are sent at the same time tell no more than the limit', async () => {
    await front.restart();
    const clients = await Promise.all(
      Array.from({ length: 8 * LIMIT }, () => front.open('127.0.0.4')),
    );
    for (const client of clients) await client.command('MAIL FROM:<s@client.example>');
    await guess('127.0.0.4', 1);
    // one write of all, so that the process reads them in one turn
    const replies = await Promise.all(
      clients.map(async (client, at) => {
        const isKnown = at % 2 === 1;
        client.write(`RCPT TO:<${isKnown ? KNOWN : `guess${at}@acme.test`}>\r\n`);
        return { isKnown, code: (await client.reply()).code };
      }),
    );
    const unknown = replies.filter(({ isKnown, code }) => !isKnown && code === 550);
    expect(unknown).to.have.length(LIMIT - 1);
  });

  it('are not limited for networks of relays', async () => {
    expect(new Set(await guess('127.0.0.8', 2 * LIMIT))).to.deep.equal(new Set(['550 5.1.1']));
    expect(await guess('127.0.0.9', LIMIT + 1)).to.include('421 4.7.0');
  });

  it('are not limited for a client that has logged in', async () => {
    await openCredentialDirectory(front.client, PREFIX).set({
      id: 'smc_1',
      username: 'user',
      passwordSetAt: 1,
      mailboxId: 'mbx_alice',
      address: 'alice@acme.test',
      passwordHash: createHash('sha256').update('secret').digest('hex'),
    });
    expect(await guess('127.0.0.5', LIMIT + 1)).to.include('421 4.7.0');
    const client = await front.open('127.0.0.5');
    await client.startTls();
    await client.command('EHLO client.example');
    expect((await client.login('user', 'secret')).code).to.equal(235);
    const names = Array.from({ length: 2 * LIMIT + 1 }, (_, n) => `guess${n}@acme.test`);
    const [first, ...replies] = await client.envelope('alice@acme.test', ...names);
    expect(statusOf(first!)).to.equal('250 2.1.0');
    expect(new Set(replies.map(statusOf))).to.deep.equal(new Set(['250 2.1.5'])); // caught
  });

  it('are not limited for loopback on a private instance', async () => {
    await front.restart({ BIND_HOST: '127.0.0.1', CATCH_ALL_CIDRS: '10.0.0.0/8' });
    const found = await guess('127.0.0.2', 2 * LIMIT + 1);
    expect(new Set(found)).to.deep.equal(new Set(['550 5.1.1']));
  });

  for (const [setting, limit] of [
    ['0', Infinity],
    ['', 200],
  ] as const) {
    it(`are limited to ${limit} a minute with the setting '${setting}'`, async () => {
      await front.restart({ SMTP_MAX_UNKNOWN_RCPT_PER_MINUTE: setting, SMTP_MAX_ERRORS: '0' });
      const client = await front.open('127.0.0.2');
      await client.command('MAIL FROM:<s@client.example>');
      let taken = 0;
      while (taken < 401) {
        const reply = await client.command(`RCPT TO:<guess${taken}@acme.test>`);
        if (reply.code === 421) break;
        expect(statusOf(reply)).to.equal('550 5.1.1');
        taken += 1;
      }
      expect(taken).to.equal(Math.min(limit, 401));
    });
  }
});
