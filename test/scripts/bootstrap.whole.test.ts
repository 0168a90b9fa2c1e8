import { existsSync, statSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { readConfig } from '../../core/config/config.ts';
import { prepareReadyFile, writeReadyFile } from '../../scripts/supervise/ready-file.ts';
import { StartError } from '../../scripts/supervise/supervisor.ts';
import { type ApiRequest, openApi } from '../support/clients/rest-client.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { freePort } from '../support/servers/free-port.ts';
import { launch as launchProgram } from '../support/process/process.ts';
import { launchUp } from '../support/process/product.ts';
import type { Followed } from '../support/process/programs.ts';

const TOKEN = 'a-token-that-a-CI-job-knows:~!$(x)\'"';
const PASSWORD = "16-characters/'%@:?#$x";
const OTHER_PASSWORD = 'another-password';

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
  let up: Followed | null = null;
  let api = '';
  let smtpPort = 0;
  const readyFile = () => join(folder.path, 'ready.json');
  const launch = async (env: Record<string, string>) =>
    (up = await launchUp({
      ...{ DATA_DIR: data.path, LOG_LEVEL: 'warn', RATE_LIMIT_PRO: '0', READY_FILE: readyFile() },
      ...{ BOOTSTRAP_TOKEN: TOKEN, BOOTSTRAP_MAILBOX: 'Shop@mayfly.localhost' },
      ...env,
    }));
  const ready = () =>
    eventually(
      'the ready file',
      async () =>
        existsSync(readyFile()) && (JSON.parse(await readFile(readyFile(), 'utf8')) as Ready),
      90_000,
    );
  const stop = async () => {
    up?.child.kill('SIGTERM');
    await up?.exited;
    up = null;
  };
  const ask = async (path: string, asked: Partial<ApiRequest> = {}) => {
    const { body } = await openApi(() => ({ apiUrl: api, token: TOKEN })).once({ path, ...asked });
    return JSON.parse(body.toString() || 'null') as unknown;
  };
  const smtpUrlOf = (password: string) =>
    `smtp://shop:${encodeURIComponent(password)}@127.0.0.1:${smtpPort}`;

  before(async () => {
    data = await makeTempDir();
    folder = await makeTempDir();
  });
  after(async () => {
    await stop();
    await data.remove();
    await folder.remove();
  });

  const CREDENTIALS = '/mailboxes/shop/smtp-credentials';
  const mail = { from: 'a@b.test', to: 'customer@gmail.com', subject: 'Hi', text: 'x' };

  it('answers /readyz when its token and SMTP login work, and writes READY_FILE', async () => {
    await writeFile(readyFile(), 'of an earlier run');
    await chmod(readyFile(), 0o644);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await launch({
      ...{ BOOTSTRAP_SMTP_PASSWORD: PASSWORD, CATCH_ALL_MAILBOX: 'shop@mayfly.localhost' },
      // As a container listens.
      ...{ BIND_HOST: '0.0.0.0', CATCH_ALL_CIDRS: '127.0.0.0/8', PORT: `${port}`, SMTP_PORT: '0' },
    });
    const isReady = () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually('/readyz', isReady, 90_000);
    api = `${url}/api`;
    expect(await ask(CREDENTIALS)).to.have.length(1);
    const { smtpUrl, ...others } = await ready();
    smtpPort = Number(new URL(smtpUrl ?? '').port);
    expect(smtpPort).to.be.above(1023);
    expect(smtpUrl).to.equal(smtpUrlOf(PASSWORD));
    expect(others).to.deep.equal({
      ...{ url, api, mcp: `${url}/mcp`, domain: 'mayfly.localhost', token: TOKEN },
    });
    expect(statSync(readyFile()).mode & 0o777).to.equal(0o600);
    const made = await ask(CREDENTIALS, { method: 'POST', body: { name: 'another' } });
    expect(made).to.include({ port: smtpPort });
    await createTransport(smtpUrlOf(PASSWORD)).sendMail(mail); // without TLS, on all addresses
    // Without a login, the same mailbox catches.
    await createTransport({ host: '127.0.0.1', port: smtpPort }).sendMail(mail);
    await eventually('both mails', async () => {
      const found = await ask('/mailboxes/shop/messages?to=customer@gmail.com');
      return (found as { messages: object[] }).messages.length === 2;
    });
    expect(up?.output()).not.to.include('CATCH_ALL_MAILBOX');
  });

  it('creates at each start what is missing and nothing else, and refuses another token', async () => {
    const env = { DATA_DIR: data.path, BOOTSTRAP_TOKEN: TOKEN, BOOTSTRAP_MAILBOX: 'shop' };
    const startAgain = async (given: Record<string, string>) => {
      const program = launchProgram('scripts/cli/first-workspace', { ...env, ...given });
      return { code: await program.exited, stderr: program.stderr() };
    };
    await ask('/mailboxes/shop', { method: 'DELETE' });
    const again = await startAgain({ BOOTSTRAP_SMTP_PASSWORD: OTHER_PASSWORD });
    expect(again).to.deep.equal({ code: 0, stderr: '' });
    for (const path of ['/tokens', '/mailboxes', CREDENTIALS]) {
      expect(await ask(path), path).to.have.length(1);
    }
    await createTransport(smtpUrlOf(OTHER_PASSWORD)).sendMail(mail);
    const refused = await startAgain({ BOOTSTRAP_TOKEN: 'x'.repeat(32) });
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(/^mayfly: BOOTSTRAP_TOKEN is not a valid token/);
  });

  it('warns of a CATCH_ALL_MAILBOX that does not exist', async () => {
    const smtp = launchProgram('haraka-plugin/server', {
      ...{ DATA_DIR: data.path, BIND_HOST: '127.0.0.1', SMTP_PORT: `${await freePort()}` },
      CATCH_ALL_MAILBOX: 'qa@mayfly.localhost',
    });
    await eventually('the warning', () =>
      smtp.stdout().includes('CATCH_ALL_MAILBOX does not exist: mail without AUTH is not caught'),
    );
    expect(await smtp.stop()).to.equal(0);
  });

  it('prints no secret, and removes READY_FILE when it stops', async () => {
    for (const secret of [TOKEN, PASSWORD, OTHER_PASSWORD]) {
      expect(up?.output()).not.to.include(secret);
    }
    await stop();
    expect(existsSync(readyFile())).to.equal(false);
  });

  it('writes what is unknown as null', async () => {
    const config = readConfig({ DATA_DIR: data.path }, 'web');
    const workspace = { isNew: false, token: null, credential: null, domainExists: true };
    writeReadyFile(readyFile(), config, workspace);
    expect(await ready()).to.include({ token: null, smtpUrl: null });
  });

  it('reports values that are malformed', () => {
    const mailboxFault = (BOOTSTRAP_MAILBOX: string) => () =>
      readConfig({ DATA_DIR: data.path, BOOTSTRAP_MAILBOX }, 'web');
    expect(mailboxFault('shop@elsewhere.test')).to.throw(
      'BOOTSTRAP_MAILBOX must be in the domain of MAIL_DOMAIN, mayfly.localhost',
    );
    expect(mailboxFault('a+b@mayfly.localhost')).to.throw(
      'BOOTSTRAP_MAILBOX must be the name or address of a mailbox',
    );
    const secrets = { BOOTSTRAP_TOKEN: 'x'.repeat(31), BOOTSTRAP_SMTP_PASSWORD: 'with a space in' };
    expect(() => readConfig({ DATA_DIR: data.path, ...secrets }, 'web'))
      .to.throw(/BOOTSTRAP_TOKEN must have 32 to 200 characters/)
      .with.property('message')
      .that.matches(/BOOTSTRAP_SMTP_PASSWORD must have 16 to 200 characters/);
    const fileFault = (path: string) => () => {
      prepareReadyFile(path);
    };
    expect(fileFault(join(folder.path, 'none', 'ready.json'))).to.throw(
      StartError,
      /^READY_FILE ".*" cannot be written \(.*\)\. Set it to /,
    );
    expect(fileFault(folder.path)).to.throw(StartError, /^(?!.*SystemError).*cannot be written/);
  });
});
