import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from '../support/process/process.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { selfSign } from '../support/servers/certificates.ts';
import { MAIL, smtp } from '../support/process/smtp-front.ts';
import { tempDir } from '../support/context/temp-dir.ts';

describe('SMTP: stopping', () => {
  const front = smtp({ each: true });

  it('lets a client in DATA finish, sends 421 to an idle one, and exits with 0', async () => {
    const busy = await front.open();
    const idle = await front.open();
    await busy.envelope('s@client.example', 'nobody@acme.test', 'alice@acme.test');
    await busy.command('DATA');
    busy.write('Subject: x\r\n');

    const stopped = front.process.stop();
    expect((await idle.reply()).code).to.equal(421);
    await idle.closed();
    const refused = await SmtpClient.connect(front.port).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).to.have.property('code', 'ECONNREFUSED');

    busy.write('\r\ny\r\n.\r\n');
    const reply = await busy.reply();
    expect((await busy.reply()).code).to.equal(421);
    expect(await stopped).to.equal(0);
    expect(await front.mail(reply)).to.have.length('Subject: x\r\n\r\ny\r\n'.length);
    // All that it writes are JSON lines.
    const lines = front.process.stdout().split('\n').filter(Boolean);
    expect(() => lines.map((line) => JSON.parse(line) as unknown)).not.to.throw();
    expect(front.process.stderr()).to.equal('');
  });

  it('exits when its supervisor goes away', async () => {
    front.process.child.disconnect();
    expect(await front.process.exited).to.equal(0);
  });
});

describe('SMTP: STARTTLS and starting', () => {
  const dir = tempDir('all');
  const front = smtp({ env: () => selfSign(dir.path, 'mx.acme.test') });

  it('is offered, encrypts, and accepts mail', async () => {
    const client = await SmtpClient.connect(front.port);
    await client.reply();
    expect((await client.command('EHLO client.example')).lines).to.include('STARTTLS');
    await client.startTls();
    expect((await client.command('EHLO client.example')).lines).not.to.include('STARTTLS');
    await client.envelope('s@client.example', 'alice@acme.test');
    const { ingestId } = await front.job(await client.data(MAIL));
    // RFC 3848: "ESMTPS" means received over TLS
    expect(await front.client.get(`{mayfly}:raw:${ingestId}`)).to.contain(' with ESMTPS ');
  });

  it('discards plain-text input sent before or with STARTTLS (RFC 3207 section 4.2)', async () => {
    const client = await front.open();
    await client.envelope('s@client.example', 'alice@acme.test');
    await client.startTls('STARTTLS\r\nEHLO injected.example\r\nMAIL FROM:<i@client.example>\r\n');
    // neither the greeting nor the earlier mail: the first reply is to the first command over TLS
    expect((await client.command('MAIL FROM:<s@client.example>')).code).to.equal(503);
    expect((await client.command('EHLO client.example')).code).to.equal(250);
    expect((await client.command('RCPT TO:<alice@acme.test>')).code).to.equal(503);
    expect((await client.command('STARTTLS')).code).to.equal(503);
  });

  it('survives invalid TLS input', async () => {
    const client = await front.open();
    expect((await client.command('STARTTLS')).code).to.equal(220);
    client.write('MAIL FROM:<s@client.example>\r\n');
    await client.closed();
    await (await front.open()).quit();
  });

  /** Of another process, which cannot start. */
  const failure = async (env: Record<string, string>) => {
    const child = launch('haraka-plugin/server', {
      DATA_DIR: join(front.redis.socket, '../..'),
      BIND_HOST: '127.0.0.1',
      ...env,
    });
    return { code: await child.exited, text: child.stderr() };
  };

  it('reports that the port is in use', async () => {
    const { code, text } = await failure({ SMTP_PORT: String(front.port) });
    expect(text).to.equal(`mayfly: port ${front.port} (SMTP_PORT) is already in use\n`);
    expect(code).to.equal(1);
  });

  it('reports that the address is not of this machine', async () => {
    const { code, text } = await failure({ BIND_HOST: '192.0.2.1' });
    expect(text).to.equal('mayfly: 192.0.2.1 (BIND_HOST) is not an address of this machine\n');
    expect(code).to.equal(1);
  });

  it('reports an unreadable certificate', async () => {
    const missing = join(dir.path, 'missing.pem');
    const { code, text } = await failure({ TLS_CERT_FILE: missing, TLS_KEY_FILE: missing });
    expect(text).to.match(/^mayfly: TLS_CERT_FILE cannot be read \(ENOENT.*\)\n$/);
    expect(code).to.equal(1);
  });

  it('reports an invalid certificate', async () => {
    const { TLS_KEY_FILE } = selfSign(dir.path, 'mx.acme.test');
    const broken = join(dir.path, 'broken.pem');
    writeFileSync(broken, 'no certificate');
    const { code, text } = await failure({ TLS_CERT_FILE: broken, TLS_KEY_FILE });
    expect(text).to.match(/^mayfly: TLS_CERT_FILE .* do not match or are invalid \(.*\)\n$/);
    expect(code).to.equal(1);
  });

  it('reports that Redis is unreachable', async () => {
    const { code, text } = await failure({ DATA_DIR: dir.path });
    expect(text).to.match(/^mayfly: no Redis at /);
    expect(code).to.equal(1);
  });

  it('exits with 0 long before its deadline if no client is connected', async () => {
    const started = Date.now();
    expect(await front.process.stop()).to.equal(0);
    expect(Date.now() - started).to.be.lessThan(20_000);
  });
});
