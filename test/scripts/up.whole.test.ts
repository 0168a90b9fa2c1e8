import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile, readlink } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { type Product, isAlive, launchUp, startProduct } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';

const SMTP_URL = /^ {2}SMTP_URL +(smtp:\/\/\S+)$/m;
const QUEUES = /^ {2}Queues +(http\S+)\n +User operator, password in (.+)$/m;

describe('up', () => {
  let folder: TempDir;
  beforeEach(async () => {
    folder = await makeTempDir();
  });
  afterEach(async () => {
    await folder.remove();
  });

  for (const name of ['PORT', 'SMTP_PORT']) {
    it(`names ${name} if its port is in use`, async () => {
      const holder = createServer().listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const { port } = holder.address() as AddressInfo;
      const up = await launchUp({ DATA_DIR: folder.path, [name]: `${port}` });
      expect(await up.exited).to.equal(1);
      holder.close();
      expect(up.output()).to.equal(
        `mayfly: Port ${port} is already in use by another program. Set ${name} to a free port.\n`,
      );
    });
  }

  it('reports every fault of the configuration at once', async () => {
    const up = await launchUp({
      PORT: 'x',
      SMTP_PORT: '70000',
      LOG_LEVEL: 'loud',
      DATA_DIR: folder.path,
    });
    expect(await up.exited).to.equal(1);
    expect(up.output()).to.match(/- PORT .*\n.*- SMTP_PORT .*\n.*- LOG_LEVEL .*\n$/);
  });

  describe('from one start to the next', () => {
    let data: TempDir;
    let token: string | null;
    let up: Product;
    const start = async (env: Record<string, string> = {}) =>
      (up = await startProduct({ DATA_DIR: data.path, ...env }));
    before(async () => {
      data = await makeTempDir();
    });
    after(async () => {
      await up.stop();
      await data.remove();
    });

    const stopsOn = (signal: NodeJS.Signals) => {
      it(`stops everything on ${signal}: no child left, both ports free, exit code 0`, async () => {
        const pids = [...up.processes().values()];
        up.child.kill(signal);
        expect(await up.exited).to.equal(0);
        expect(pids.filter(isAlive)).to.deep.equal([]);
        expect(await answers(up.httpPort)).to.equal(false);
        expect(await answers(up.smtpPort)).to.equal(false);
      });
    };

    it('makes the first workspace for MAIL_DOMAIN', async () => {
      await start({ MAIL_DOMAIN: 'one.test' });
      ({ token } = up);
      expect(up.domain).to.equal('one.test');
      expect(await createMailbox(up, 'kept', token!)).to.equal(201);
    });

    stopsOn('SIGTERM');

    it('keeps its data and its token, and shows the token once', async () => {
      await start({ MAIL_DOMAIN: 'one.test' });
      expect(up.token).to.equal(null);
      expect(up.output()).to.include('npm run token:create').and.not.include(token!);
      const list = await up.ask('GET', '/mailboxes', undefined, token!);
      expect(list.status).to.equal(200);
      expect(list.body.toString()).to.include('"kept"');
    });

    stopsOn('SIGINT');

    it('says if no workspace has the domain of a later MAIL_DOMAIN', async () => {
      await start({ MAIL_DOMAIN: 'two.test' });
      expect(up.output()).to.include('No workspace has the domain two.test yet');
    });

    it('leaves nothing behind when it is killed itself, and starts again at once', async () => {
      const killed = up;
      const pids = [...killed.processes().values()];
      killed.child.kill('SIGKILL');
      await start({
        ...{ PORT: `${killed.httpPort}`, SMTP_PORT: `${killed.smtpPort}` },
        WORKER_PROCESSES: '2',
      });
      expect(up.token).to.equal(null);
      await eventually('every child to be gone', () => !pids.some(isAlive));
    });

    it('runs as many workers as WORKER_PROCESSES says', () => {
      expect([...up.processes().keys()]).to.include.members(['worker.1', 'worker.2']);
    });

    stopsOn('SIGHUP');
  });

  it('gives processes its own output, and stops when its reader is gone', async () => {
    const up = await startProduct({ DATA_DIR: folder.path, LOG_LEVEL: 'info' });
    try {
      const outputOf = (pid: number) => readlink(`/proc/${pid}/fd/1`);
      for (const name of ['web', 'worker', 'smtp']) {
        expect(await outputOf(up.processes().get(name)!)).to.equal(await outputOf(up.child.pid!));
      }
      await up.send('any@yahoo.com', ['Subject: Hi\r\n\r\n']);
      await eventually('the line of the mail', () =>
        /^smtp {4}\| \{.*"message":"mail accepted".*\}$/m.test(up.output()),
      );
      up.child.stdout!.destroy();
      await up.send('any@yahoo.com', ['Subject: Hi\r\n\r\n']);
      await once(up.child, 'exit');
      expect(up.child.exitCode).to.equal(1);
      const pids = [...up.processes().values()];
      await eventually('no process to be left', () => !pids.some(isAlive));
    } finally {
      await up.stop();
    }
  });

  it('offers STARTTLS with TLS_SELF_SIGNED, and shows the fingerprint of the certificate', async () => {
    const up = await startProduct({ DATA_DIR: folder.path, TLS_SELF_SIGNED: 'true' });
    try {
      const file = await readFile(`${folder.path}/tls/cert.pem`);
      expect(up.output()).to.include(new X509Certificate(file).fingerprint256);
      const [, url = ''] = SMTP_URL.exec(up.output()) ?? [];
      const transport = createTransport({ url, tls: { ca: file }, requireTLS: true });
      await transport.sendMail({ from: 'a@b.test', to: 'any@yahoo.com', text: 'x' });
    } finally {
      await up.stop();
    }
  });

  describe('once it runs', () => {
    let up: Product;
    before(async () => (up = await sharedProduct()));

    it('prints addresses and working commands', async () => {
      expect(up.token).to.match(/^mf_[0-9A-Za-z]{43}$/);
      expect(up.domain).to.equal('mayfly.localhost');
      expect([...up.processes().keys()]).to.have.members(['redis', 'web', 'worker', 'smtp']);

      const commands = [...up.output().matchAll(/^ {2}((?:curl|printf) .+)$/gm)].map(([, c]) => c);
      expect(commands).to.have.length(3);
      const [send = '', read = '', recipients = ''] = commands;
      run(send);
      const listed = run(read);
      expect(listed)
        .to.include('"subject":"Hello"')
        .and.include('It works.')
        .and.include('"to":["customer@gmail.com"]');
      expect(run(recipients)).to.include('"address":"customer@gmail.com"');
    });

    it('announces an SMTP URL that works unchanged, as does that of a new credential', async () => {
      const [, url = ''] = SMTP_URL.exec(up.output()) ?? [];
      const { hostname, port } = new URL(url);
      expect([hostname, port]).to.eql(['127.0.0.1', `${up.smtpPort}`]);
      const path = '/mailboxes/inbox/smtp-credentials';
      const made = await up.rest.json<{ tls: string; url: string }>('POST', path, { name: 'shop' });
      expect(made.tls).to.equal('none');
      for (const each of [url, made.url]) {
        await createTransport(each).sendMail({ from: 'a@b.test', to: 'each@yahoo.com', text: 'x' });
      }
    });

    it('catches mail of this machine without AUTH and with any unknown user name', async () => {
      for (const logsIn of [false, true]) {
        const client = await SmtpClient.open(up.smtpPort);
        if (logsIn) expect((await client.login('app', 'secret')).code).to.equal(235);
        const mail = { from: 'a@b.test', to: ['any@yahoo.com'], data: Buffer.from('A: b\r\n\r\n') };
        expect((await client.send(mail)).code).to.equal(250);
        await client.quit();
      }
      await eventually('both mails', async () => {
        const { body } = await up.ask('GET', '/mailboxes/inbox/messages?to=any@yahoo.com');
        return body.toString().split('"id":"msg_').length === 3;
      });
    });

    it('prints the queues page with its password', async () => {
      const { output } = up;
      const [, url = '', file = ''] = QUEUES.exec(output()) ?? [];
      const password = (await readFile(file, 'utf8')).trim();
      const credentials = Buffer.from(`operator:${password}`).toString('base64');
      const page = await fetch(url, { headers: { Authorization: `Basic ${credentials}` } });
      expect(page.status).to.equal(200);
    });

    it('rejects a second up in the same data directory, and does not affect the first', async () => {
      const second = await launchUp({ DATA_DIR: up.dataDir });
      expect(await second.exited).to.equal(1);
      expect(second.output()).to.equal(
        `mayfly: Another Mayfly uses ${up.dataDir}. Stop it first, or set DATA_DIR to another directory.\n`,
      );
      expect(await createMailbox(up, 'undisturbed')).to.equal(201);
    });

    for (const name of ['web', 'worker', 'smtp', 'redis']) {
      it(`restarts ${name} after it was killed`, async () => {
        const restarts = () => up.output().split(`\n${name.padEnd(7)} | is back\n`).length - 1;
        const [pid, before] = [up.processes().get(name), restarts()];
        up.kill(name, 'SIGKILL');
        await eventually(`${name} to be back`, () => restarts() > before);
        expect(up.processes().get(name)).to.not.equal(pid);
        await eventually('the API to answer', async () => {
          const status = await createMailbox(up, 'after').catch(() => 0);
          return status === 201 || status === 409;
        });
      });
    }
  });
});

function run(command: string): string {
  const { stdout, stderr, status } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  expect(status, `${command}\n${stdout}${stderr}`).to.equal(0);
  return stdout;
}

async function createMailbox({ ask }: Product, name: string, token?: string): Promise<number> {
  return (await ask('POST', '/mailboxes', { name }, token)).status;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => {
      resolve(false);
    });
  });
}
