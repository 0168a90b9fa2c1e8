import { existsSync, statSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { openApi } from '../support/clients/rest-client.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type Product, launchUp, startProduct } from '../support/process/product.ts';

const TOKEN = 'a-token-that-a-CI-job-knows:~!$(x)\'"';
const PASSWORD = "16-characters/'%@:?#$x";

interface Ready {
  url: string;
  api: string;
  mcp: string;
  domain: string;
  smtpUrl: string | null;
  token: string | null;
}

describe('up for a program that knows its token before', () => {
  let data: TempDir;
  let folder: TempDir;
  let up: Product | null = null;
  const readyFile = () => join(folder.path, 'ready.json');
  const ready = async () => JSON.parse(await readFile(readyFile(), 'utf8')) as Ready;
  const start = async (env: Record<string, string> = {}) =>
    (up = await startProduct({ DATA_DIR: data.path, READY_FILE: readyFile(), ...env }));
  const stop = async () => {
    await up?.stop();
    up = null;
  };
  const refused = async (env: Record<string, string>) => {
    const failed = await launchUp({ DATA_DIR: data.path, LOG_LEVEL: 'warn', ...env });
    expect(await failed.exited, failed.output()).to.equal(1);
    return failed.output();
  };
  const asked = async (path: string, token: string) => {
    const { api } = await ready();
    const { status } = await openApi(() => ({ apiUrl: api, token })).once({ path });
    return status;
  };

  before(async () => {
    data = await makeTempDir();
    folder = await makeTempDir();
  });
  afterEach(stop);
  after(async () => {
    await data.remove();
    await folder.remove();
  });

  const given = {
    BOOTSTRAP_TOKEN: TOKEN,
    CATCH_ALL_MAILBOX: 'shop@mayfly.localhost',
    BOOTSTRAP_MAILBOX: 'Shop@mayfly.localhost',
    BOOTSTRAP_SMTP_PASSWORD: PASSWORD,
  };

  it('uses its token, mailbox and SMTP password, and writes what it needs', async () => {
    await writeFile(readyFile(), 'of an earlier run');
    await chmod(readyFile(), 0o644);
    const { httpPort, smtpPort } = await start(given);
    const smtp = `${encodeURIComponent(PASSWORD)}@127.0.0.1:${smtpPort}`;
    expect(await ready()).to.deep.equal({
      url: `http://127.0.0.1:${httpPort}`,
      api: `http://127.0.0.1:${httpPort}/api`,
      mcp: `http://127.0.0.1:${httpPort}/mcp`,
      domain: 'mayfly.localhost',
      smtpUrl: `smtp://shop:${smtp}`,
      token: TOKEN,
    });
    expect(statSync(readyFile()).mode & 0o777).to.equal(0o600);
    expect(up?.output()).not.to.include(TOKEN).and.not.include(PASSWORD);
    expect(up?.output()).not.to.include('CATCH_ALL_MAILBOX');

    const { smtpUrl } = await ready();
    const mail = { from: 'a@b.test', to: 'customer@gmail.com', subject: 'Hi', text: 'x' };
    await createTransport(smtpUrl ?? '').sendMail(mail);
    // Without a login, the same mailbox catches.
    await createTransport({ host: '127.0.0.1', port: smtpPort }).sendMail(mail);
    await eventually('both mails', async () => {
      const path = '/mailboxes/shop/messages?to=customer@gmail.com';
      const { body } = await up!.ask('GET', path, undefined, TOKEN);
      return (JSON.parse(body.toString()) as { messages: object[] }).messages.length === 2;
    });
    await stop();
    expect(existsSync(readyFile())).to.equal(false);
  });

  it('answers /readyz when the token and the SMTP login work', async () => {
    const fresh = await makeTempDir();
    const port = await freePort();
    const env = { ...given, DATA_DIR: fresh.path, PORT: `${port}` };
    const starting = await launchUp(env);
    try {
      const url = `http://127.0.0.1:${port}`;
      const isReady = () =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await eventually('/readyz', isReady, 90_000);
      const there = await openApi(() => ({ apiUrl: `${url}/api`, token: TOKEN })).once({
        path: '/mailboxes/shop/smtp-credentials',
      });
      expect(JSON.parse(there.body.toString())).to.have.length(1);
    } finally {
      starting.child.kill('SIGTERM');
      await starting.exited;
      await fresh.remove();
    }
  });

  it('changes nothing with the same values, and creates what is missing', async () => {
    await start(given);
    const list = async (path: string) =>
      JSON.parse((await up!.ask('GET', path, undefined, TOKEN)).body.toString()) as object[];
    expect(await list('/tokens')).to.have.length(1);
    expect(await list('/mailboxes')).to.have.length(1);
    expect(await list('/mailboxes/shop/smtp-credentials')).to.have.length(1);
    await up!.ask('DELETE', '/mailboxes/shop', undefined, TOKEN);
    await stop();
    await start({ ...given, BOOTSTRAP_SMTP_PASSWORD: 'another password'.replace(' ', '-') });
    expect(await list('/mailboxes/shop/smtp-credentials')).to.have.length(1);
    const { smtpUrl } = await ready();
    await createTransport(smtpUrl ?? '').sendMail({ from: 'a@b.test', to: 'c@d.test', text: 'x' });
  });

  it('refuses another token while one exists, and names the variable', async () => {
    expect(await refused({ BOOTSTRAP_TOKEN: 'x'.repeat(32) })).to.include(
      'mayfly: Creation of the first workspace failed: BOOTSTRAP_TOKEN is not a valid token',
    );
    await start();
    expect(await ready()).to.include({ token: null, smtpUrl: null });
    expect(await asked('/tokens', TOKEN)).to.equal(200);
    expect(await asked('/tokens', 'x'.repeat(32))).to.equal(401);
  });

  it('reports values that are malformed', async () => {
    const output = await refused({
      BOOTSTRAP_TOKEN: 'x'.repeat(31),
      BOOTSTRAP_MAILBOX: 'shop@elsewhere.test',
      BOOTSTRAP_SMTP_PASSWORD: 'with a space in it',
    });
    expect(output).to.match(/BOOTSTRAP_TOKEN must have 32 to 200 characters/);
    expect(output).to.match(/BOOTSTRAP_SMTP_PASSWORD must have 16 to 200 characters/);
    expect(await refused({ BOOTSTRAP_MAILBOX: 'shop@elsewhere.test' })).to.include(
      'BOOTSTRAP_MAILBOX must be in the domain of MAIL_DOMAIN, mayfly.localhost',
    );
    expect(await refused({ BOOTSTRAP_MAILBOX: 'a+b@mayfly.localhost' })).to.include(
      'BOOTSTRAP_MAILBOX must be the name or address of a mailbox',
    );
    const nowhere = await refused({ READY_FILE: join(folder.path, 'none', 'ready.json') });
    expect(nowhere).to.match(/^mayfly: READY_FILE ".*" cannot be written \(.*\)\. Set it to /m);
    const isFolder = await refused({ READY_FILE: folder.path });
    expect(isFolder).to.include('cannot be written').and.not.include('SystemError');
  });

  it('chooses free ports for PORT=0 and SMTP_PORT=0', async () => {
    await start({ ...given, BOOTSTRAP_SMTP_PASSWORD: PASSWORD, PORT: '0', SMTP_PORT: '0' });
    const { url, smtpUrl } = await ready();
    const ports = [new URL(url).port, new URL(smtpUrl ?? '').port];
    expect(Math.min(...ports.map(Number))).to.be.above(1023);
    expect(ports[0]).to.not.equal(ports[1]);
    expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    const path = '/mailboxes/shop/smtp-credentials';
    const { body } = await up!.ask('POST', path, { name: 'another' }, TOKEN);
    expect(JSON.parse(body.toString())).to.include({ port: Number(ports[1]) });
  });

  it('offers the login without TLS on all addresses, as a container listens', async () => {
    const fresh = await makeTempDir();
    try {
      await start({ ...given, DATA_DIR: fresh.path, BIND_HOST: '0.0.0.0' });
      const { smtpUrl } = await ready();
      const sent = { from: 'a@b.test', to: 'customer@gmail.com', text: 'x' };
      await createTransport(smtpUrl ?? '').sendMail(sent);
    } finally {
      await stop();
      await fresh.remove();
    }
  });

  it('warns of a CATCH_ALL_MAILBOX that does not exist, at the first start too', async () => {
    const fresh = await makeTempDir();
    const env = { DATA_DIR: fresh.path, CATCH_ALL_MAILBOX: 'qa@mayfly.localhost' };
    const warned = () =>
      eventually('the warning', () =>
        up?.output().includes('CATCH_ALL_MAILBOX does not exist: mail without AUTH is not caught'),
      );
    try {
      for (let n = 0; n < 2; n += 1) {
        await start(env);
        await warned();
        await stop();
      }
    } finally {
      await stop();
      await fresh.remove();
    }
  });
});
