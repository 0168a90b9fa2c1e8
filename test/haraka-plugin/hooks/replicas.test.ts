import { expect } from 'chai';
import { freePort } from '../../support/servers/free-port.ts';
import { start } from '../../support/process/process.ts';
import { startReplicatedRedis } from '../../support/servers/redis-servers.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import { fillDirectory } from '../../support/process/smtp-front.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { makeTempDir } from '../../support/context/temp-dir.ts';

const MAIL = {
  from: 'a@elsewhere.example',
  to: ['alice@acme.test'],
  data: Buffer.from('\r\nx\r\n'),
};

/** The sizes of accepted mails by ingest id. */
const SIZES = '{mayfly}:raw:sizes';

describe('REDIS_MIN_REPLICAS', () => {
  it('accepts mail only once a replica has it, and stores nothing of refused mail', async () => {
    const [dir, redis, port] = await Promise.all([
      makeTempDir(),
      startReplicatedRedis(1),
      freePort(),
    ]);
    const [master, replica] = redis.servers as [
      (typeof redis.servers)[0],
      (typeof redis.servers)[0],
    ];
    await fillDirectory(master.client);
    const smtp = await start('haraka-plugin/server', {
      ...{ DATA_DIR: dir.path, BIND_HOST: '127.0.0.1', SMTP_PORT: `${port}` },
      ...{ REDIS_URL: redis.url, REDIS_MIN_REPLICAS: '1' },
    });
    try {
      const client = await SmtpClient.open(port);
      const waiting = () => master.client.hlen(SIZES);
      const together = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const one = await SmtpClient.open(port);
          const { code } = await one.send(MAIL);
          one.drop();
          return code;
        }),
      );
      expect(new Set(together)).to.deep.equal(new Set([250]));
      expect(await replica.client.hlen(SIZES)).to.equal(20);

      replica.pause();
      expect(await client.send(MAIL)).to.include({ code: 451 });
      await eventually('the refused mail to be forgotten', async () => (await waiting()) === 20);
      replica.resume();
      expect(await client.send(MAIL)).to.include({ code: 250 });
      expect(await waiting()).to.equal(21);
      client.drop();
    } finally {
      await smtp.stop();
      await redis.stop();
      await dir.remove();
    }
  });
});
