import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, readdir, readlink, stat } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { type Product, isAlive, launchUp, startProduct } from '../support/process/product.ts';
import { runBeside } from '../support/process/programs.ts';
import { stopsInOrder } from '../support/process/stops-in-order.ts';
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
    let place: TempDir;
    let data: string;
    let token: string | null;
    let up: Product;
    const start = async (env: Record<string, string> = {}) =>
      (up = await startProduct({ DATA_DIR: data, ...env }));
    before(async () => {
      place = await makeTempDir();
      data = join(place.path, 'a?b=1#c%20d'); // not a part of a URL
      await mkdir(data, { mode: 0o755 });
    });
    after(async () => {
      await up.stop();
      await place.remove();
    });

    it('makes the first workspace for MAIL_DOMAIN, and offers STARTTLS with TLS_SELF_SIGNED', async () => {
      const ready = { READY_FILE: join(data, 'ready.json') };
      await start({
        MAIL_DOMAIN: 'one.test',
        TLS_SELF_SIGNED: 'true',
        LOG_LEVEL: 'info',
        ...ready,
      });
      ({ token } = up);
      expect(up.domain).to.equal('one.test');
      expect(await createMailbox(up, 'kept', token!)).to.equal(201);
      const ca = await readFile(`${data}/tls/cert.pem`);
      expect(up.output()).to.include(new X509Certificate(ca).fingerprint256);
      const [, url = ''] = SMTP_URL.exec(up.output()) ?? [];
      const transport = createTransport({ url, tls: { ca }, requireTLS: true });
      await transport.sendMail({ from: 'a@b.test', to: 'any@yahoo.com', text: 'x' });
    });

    it('closes its files to other users in a folder that they can enter', async () => {
      const modes = await modesIn(data);
      expect([...modes.keys()]).to.include.members([
        ...['mayfly.sqlite', 'mayfly.sqlite-wal', 'mayfly.sqlite-shm', 'redis', 'encryption-keys'],
        ...['operator-password', 'tls', 'ready.json'],
      ]);
      expect([...modes].filter(([, mode]) => !mode.endsWith('00'))).to.deep.equal([]);
    });

    it('stops everything on SIGTERM: no child left, both ports free, exit code 0', async () => {
      const pids = [...up.processes().values()];
      await stopsInOrder(up, 1);
      expect(pids.filter(isAlive)).to.deep.equal([]);
      expect(await answers(up.httpPort)).to.equal(false);
      expect(await answers(up.smtpPort)).to.equal(false);
    });

    it('keeps its data and its token, shows the token once, and starts WORKER_PROCESSES', async () => {
      await start({ MAIL_DOMAIN: 'two.test', WORKER_PROCESSES: '2' });
      expect(up.token).to.equal(null);
      expect(up.output()).not.to.include(token!);
      expect(up.output()).to.include('No workspace has the domain two.test yet');
      const list = await up.ask('GET', '/mailboxes', undefined, token!);
      expect(list.status).to.equal(200);
      expect(list.body.toString()).to.include('"kept"');
      expect([...up.processes().keys()]).to.include.members(['worker.1', 'worker.2']);
    });

    it('leaves nothing behind when it is killed itself, and starts again at once', async () => {
      const killed = up;
      const pids = [...killed.processes().values()];
      killed.child.kill('SIGKILL');
      const ports = { PORT: `${killed.httpPort}`, SMTP_PORT: `${killed.smtpPort}` };
      await start({ MAIL_DOMAIN: 'one.test', LOG_LEVEL: 'info', ...ports });
      expect(up.token).to.equal(null);
      expect(up.output()).to.include('npm run token:create').and.not.include(token!);
      await eventually('every child to be gone', () => !pids.some(isAlive));
    });

    it('gives processes its own output, and stops when its reader is gone', async () => {
      const outputOf = (pid: number) => readlink(`/proc/${pid}/fd/1`);
      for (const name of ['web', 'worker', 'smtp']) {
        expect(await outputOf(up.processes().get(name)!)).to.equal(await outputOf(up.child.pid!));
      }
      const mail = ['Subject: Hi\r\n\r\n'];
      await up.send('kept', mail);
      await eventually('the line of the mail', () =>
        /^smtp {4}\| \{.*"message":"mail accepted".*\}$/m.test(up.output()),
      );
      const pids = [...up.processes().values()];
      up.child.stdout!.destroy();
      await up.send('kept', mail);
      await once(up.child, 'exit');
      expect(up.child.exitCode).to.equal(1);
      await eventually('no process to be left', () => !pids.some(isAlive));
    });
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
      await shell(send);
      const listed = await shell(read);
      expect(listed)
        .to.include('"subject":"Hello"')
        .and.include('It works.')
        .and.include('"to":["customer@gmail.com"]');
      expect(await shell(recipients)).to.include('"address":"customer@gmail.com"');
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

    // test/e2e/crashes has the others.
    it('restarts web after it was killed', async () => {
      const before = up.processes().get('web');
      up.kill('web', 'SIGKILL');
      await eventually('web to be back', () => up.output().includes('\nweb     | is back\n'));
      expect(up.processes().get('web')).to.not.equal(before);
      await eventually('the API', () => createMailbox(up, 'after').catch(() => null));
    });
  });
});

/** Owner, group and others of each file below the folder, as octal digits. */
async function modesIn(folder: string): Promise<Map<string, string>> {
  const modes = new Map<string, string>();
  for (const name of await readdir(folder, { recursive: true })) {
    const { mode } = await stat(join(folder, name));
    modes.set(name, (mode & 0o777).toString(8).padStart(3, '0'));
  }
  return modes;
}

const shell = (command: string) => runBeside('sh', ['-c', command]);

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
