import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openRecipientDirectory } from '../../../core/directory/recipients.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import { type TempDir, makeTempDir } from '../../support/context/temp-dir.ts';
import { type TestProcess, start } from '../../support/process/process.ts';
import { PREFIX, fillDirectory } from '../../support/process/smtp-front.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type LossyProxy, openLossyProxy } from '../../support/servers/lossy-proxy.ts';
import { type TestRedis, startRedis } from '../../support/servers/redis.ts';

/** Longer than what Redis has told about the room for mail counts. */
const ROOM_UNKNOWN_MS = 300;
/** Longer than a turn of the event loop. */
const LATENCY_MS = 50;
const LOOKUP = 'directory:mailboxes';
const ROOM = 'raw:quarantined-bytes';

describe('SMTP: round trips to Redis', () => {
  let [dir, redis, proxy, smtp] = [] as unknown as [TempDir, TestRedis, LossyProxy, TestProcess];
  let port: number;
  let clients: SmtpClient[];

  beforeEach(async () => {
    dir = await makeTempDir();
    redis = await startRedis(dir.path);
    const client = new Redis(redis.socket);
    await fillDirectory(client);
    const directory = openRecipientDirectory(client, PREFIX);
    for (let n = 0; n < 40; n += 1) {
      const [address, mailboxId] = [`box${n}@acme.test`, `mbx_${n}`];
      await directory.add({ address, mailboxId, workspaceId: 'wsp_1' });
    }
    client.disconnect();
    proxy = await openLossyProxy(redis.socket, LATENCY_MS);
    port = await freePort();
    const env = { BIND_HOST: '127.0.0.1', SMTP_PORT: `${port}` };
    const url = `redis://127.0.0.1:${proxy.port}`;
    smtp = await start('haraka-plugin/server', { DATA_DIR: dir.path, REDIS_URL: url, ...env });
    clients = [];
    // The mail of a workspace, with which the process knows its load.
    const sent = await (await open()).send(mailTo('alice'));
    expect(sent.code).to.equal(250);
  });
  afterEach(async () => {
    for (const client of clients) client.drop();
    await smtp.stop();
    await proxy.close();
    await redis.stop();
    await dir.remove();
  });

  const mailTo = (name: string) => ({
    ...{ from: 's@client.example', to: [`${name}@acme.test`], data: Buffer.from('\r\nx\r\n') },
  });
  const open = async () => {
    const client = await SmtpClient.open(port);
    clients.push(client);
    return client;
  };
  const begin = async () => {
    const client = await open();
    await client.command('MAIL FROM:<s@client.example>');
    return client;
  };
  const count = (texts: string[], part: string) =>
    texts.reduce((sum, text) => sum + text.split(part).length - 1, 0);

  it('are one for a recipient that is not known, with the room for its mail', async () => {
    const client = await open();
    expect(await client.send(mailTo('box1'))).to.include({ code: 250 });
    for (const name of ['box2', 'nobody']) {
      await client.command('MAIL FROM:<s@client.example>');
      await delay(ROOM_UNKNOWN_MS);
      proxy.takeRoundTrips();
      const { code } = await client.command(`RCPT TO:<${name}@acme.test>`);
      expect(code, name).to.equal(name === 'nobody' ? 550 : 250);
      const texts = proxy.takeRoundTrips().filter((text) => /evalsha/i.test(text));
      expect(texts, name).to.have.length(1);
      expect([count(texts, LOOKUP), count(texts, ROOM)], name).to.deep.equal([1, 1]);
      await client.command('RSET');
    }
  });

  it('are one for all recipients that are read at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, begin));
    proxy.takeRoundTrips();
    smtp.child.kill('SIGSTOP');
    all.forEach((client, n) => {
      client.write(`RCPT TO:<box${n}@acme.test>\r\n`);
    });
    await delay(ROOM_UNKNOWN_MS);
    smtp.child.kill('SIGCONT');
    const replies = await Promise.all(all.map((client) => client.reply()));
    expect(new Set(replies.map(({ code }) => code))).to.deep.equal(new Set([250]));
    expect(count(proxy.takeRoundTrips(), LOOKUP)).to.be.at.most(2);
  });
});
