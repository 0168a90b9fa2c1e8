import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type MayflyServer, startMayfly } from '@mayfly/client/server';
import * as runner from '@mayfly/client/vitest-setup';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { ROOT } from '../../core/root.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { rejection } from '../support/mocha/rejection.ts';
import { follow } from '../support/process/programs.ts';
import { hasPytest, runPytest } from '../support/process/pytest.ts';

/** A Docker that runs the command in the checkout, with the variables that it is given. */
const DOCKER = `#!/bin/sh
printf '%s\\n' "$*" >"$0.arguments"
given=
while [ "$1" != an-image ]; do
  [ "$1" != --env ] || eval "given=\\"$given $2=\\$$2\\""
  shift
done
cd ${ROOT}
place="PATH=$PATH BIND_HOST=0.0.0.0 DATA_DIR=$0.data"
exec env -i $place $given "$2" "$3" "$4" "$5" "$0.data" node dist/scripts/supervise/main.js
`;

/** Runners name the file. Its types are those of CommonJS. */
const setUp = runner.default as unknown as () => Promise<() => Promise<void>>;

describe('startMayfly', () => {
  let dir: TempDir;
  let server: MayflyServer | null = null;
  const start = async (options: Parameters<typeof startMayfly>[0]) =>
    (server = await startMayfly(options));
  beforeEach(async () => {
    dir = await makeTempDir();
  });
  afterEach(async () => {
    await server?.stop();
    server = null;
    await dir.remove();
  });
  const foldersOfServers = async () =>
    (await readdir(tmpdir())).filter((name) => /^mayfly-\w{6}$/.test(name)).sort();
  const isAway = (url: string) =>
    fetch(url).then(
      () => false,
      () => true,
    );

  it('starts the package, whose client and SMTP settings work, and removes it', async () => {
    const before = await foldersOfServers();
    const { client, url, token, smtp, stop } = await start({ package: ROOT });
    expect(smtp).to.include({ host: '127.0.0.1', username: 'inbox' });
    const inbox = await client.mailboxes.create({ expiresIn: 300 });
    const mail = { from: 'a@b.test', subject: 'Sign in', text: 'Your code is 482913.' };
    await createTransport(smtp.url).sendMail({ ...mail, to: inbox.address });
    expect(await inbox.waitForCode()).to.equal('482913');
    // Without a login, too.
    const { host, port } = smtp;
    await createTransport({ host, port }).sendMail({ ...mail, to: 'customer@gmail.com' });
    const caught = await client.inbox('inbox').wait({ to: 'customer@gmail.com' });
    expect(caught.subject).to.equal('Sign in');
    const webhook = { params: { path: { name: inbox.name } }, body: { url: `${url}/` } };
    await client.api.POST('/api/mailboxes/{name}/webhooks', webhook); // http, loopback
    const { data } = await client.api.GET('/api/session');
    expect(data?.token.prefix).to.equal(token.slice(0, 8));
    await stop();
    expect(await isAway(url)).to.equal(true);
    expect(await foldersOfServers()).to.deep.equal(before);
  });

  it('ends with the process that started it, even by SIGKILL', async () => {
    const before = await foldersOfServers();
    const program = `
      const { startMayfly } = await import('@mayfly/client/server');
      const { url } = await startMayfly({ package: ${JSON.stringify(ROOT)} });
      console.log(url);
      setInterval(() => {}, 1000);`;
    const args = ['--input-type=module', '-e', program];
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { output, exited } = follow(child);
    const url = await eventually('the start', () => /^http\S+$/m.exec(output())?.[0], 90_000);
    expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    child.kill('SIGKILL');
    await exited;
    await eventually('the end of Mayfly', () => isAway(url));
    const left = before.join();
    await eventually('an empty folder', async () => (await foldersOfServers()).join() === left);
  });

  it('is not confused by variables of the application, and takes its own', async () => {
    const given = { PORT: '1', DATABASE_URL: 'postgres://nowhere/', NODE_ENV: 'production' };
    const kept = { ...process.env };
    Object.assign(process.env, given);
    try {
      const env = { BOOTSTRAP_MAILBOX: 'team', MAIL_DOMAIN: 'shop.test', MESSAGE_TTL_MS: '60000' };
      const { client, smtp } = await start({ package: ROOT, env });
      const { data } = await client.api.GET('/api/session');
      expect(data?.limits.messageTtlMs).to.equal(60_000);
      const mail = { from: 'a@b.test', subject: 's', text: 't' };
      await createTransport(smtp.url).sendMail({ ...mail, to: 'one@gmail.com' });
      const { host, port } = smtp;
      await createTransport({ host, port }).sendMail({ ...mail, to: 'two@gmail.com' });
      for (const to of ['one@gmail.com', 'two@gmail.com']) await client.inbox('team').wait({ to });
    } finally {
      process.env = kept;
    }
  });

  it('says why it does not start', async () => {
    const failed = async (options: Parameters<typeof startMayfly>[0]) =>
      String(await rejection(startMayfly(options)));
    expect(await failed({ package: ROOT, env: { MESSAGE_TTL_MS: 'x' } })).to.match(
      /^Error: Mayfly ended with exit code 1:\nmayfly: Invalid configuration:\n {2}- MESSAGE_TTL_MS must be/,
    );
    const text = join(dir.path, 'a.tgz');
    await writeFile(text, 'no archive');
    expect(await failed({ package: text })).to.include(`"${text}" is not a package of Mayfly: tar`);
    expect(await failed({ package: '' })).to.include('startMayfly({ package }) takes a string');
    expect(await failed({ package: text, image: 'x' })).to.include('not both');
    expect(await failed({ package: dir.path })).to.include('is not a package of Mayfly');
    expect(await failed({ package: join(dir.path, 'none') })).to.include('does not exist');
    delete process.env['MAYFLY_PACKAGE'];
    expect(await failed({})).to.include('There is no package of Mayfly.');
  });

  it('starts an image with Docker, on ports that are the same inside', async () => {
    const docker = join(dir.path, 'docker');
    await writeFile(docker, DOCKER);
    await chmod(docker, 0o755);
    const { PATH = '' } = process.env;
    process.env['PATH'] = `${dir.path}${delimiter}${PATH}`;
    try {
      const { client, url, smtp, stop } = await start({ image: 'an-image' });
      const { port } = new URL(url);
      const text = await readFile(`${docker}.arguments`, 'utf8');
      expect(text).to.include('run --rm --init --interactive --add-host host.docker.internal:');
      for (const each of [port, smtp.port]) {
        expect(text).to.include(`--publish 127.0.0.1:${each}:${each}`);
      }
      expect(text).to.include('--env BOOTSTRAP_TOKEN').and.not.include(smtp.password);
      await createTransport(smtp.url).sendMail({ from: 'a@b.test', to: 'c@gmail.com', text: 'x' });
      await client.inbox('inbox').wait({ to: 'c@gmail.com' });
      await stop();
      expect(await isAway(url)).to.equal(true);
    } finally {
      process.env['PATH'] = PATH;
    }
  });

  it('is the set-up of a test runner, which sets the variables that are missing', async () => {
    const kept = { ...process.env };
    Object.assign(process.env, { MAYFLY_PACKAGE: ROOT, MAYFLY_URL: '', MAYFLY_TOKEN: '' });
    delete process.env['SMTP_URL'];
    const stop = await setUp();
    try {
      const { MAYFLY_URL = '', SMTP_URL = '' } = process.env;
      await createTransport(SMTP_URL).sendMail({ from: 'a@b.test', to: 'c@gmail.com', text: 'x' });
      // One that runs is used.
      await (
        await setUp()
      )();
      expect((await fetch(`${MAYFLY_URL}/readyz`)).status).to.equal(200);
    } finally {
      await stop();
      process.env = kept;
    }
    expect(existsSync(join(ROOT, 'ready.json'))).to.equal(false);
  });

  it('is the same for Python', async function () {
    if (!hasPytest()) this.skip();
    const file = join(ROOT, 'packages/python/tests/test_server.py');
    const output = await runPytest([file], dir.path, { MAYFLY_PACKAGE: ROOT });
    expect(output)
      .to.match(/\d+ passed/)
      .and.not.include('skipped');
  });
});
