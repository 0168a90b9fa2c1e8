import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type MayflyServer, startMayfly } from '@mayfly/client/server';
import * as runner from '@mayfly/client/vitest-setup';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { ROOT } from '../../core/root.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { codeOf } from '../support/docs/pages.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { rejection } from '../support/mocha/rejection.ts';
import { follow, isThere } from '../support/process/programs.ts';
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

/** What the examples of the documentation print: URL, token, SMTP URL and an address. */
const PRINTED = /^http:\/\/127\.0\.0\.1:\d+ \S{32,} smtp:\/\/inbox:\S+ \S+@mayfly\.localhost\n$/;

/** An example of the documentation, with the package of this checkout. */
const example = (language: string, part: string) =>
  codeOf('docs/continuous-integration.md', language, part).replace('vendor/mayfly-0.1.0.tgz', ROOT);

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
  /** Other tests start servers at the same time: those of this test are in its folder. */
  const foldersOfServers = async () =>
    (await readdir(dir.path)).filter((name) => /^mayfly-/.test(name));
  const withVariables = async <Result>(
    given: Record<string, string>,
    body: () => Promise<Result>,
  ): Promise<Result> => {
    const kept = Object.keys(given).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, given);
    try {
      return await body();
    } finally {
      for (const [name, value] of kept) {
        if (value === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = value;
      }
    }
  };
  const isAway = (url: string) =>
    fetch(url).then(
      () => false,
      () => true,
    );

  it('starts the package with its own variables, not those of the application, and removes it', async () => {
    const application = { PORT: '1', DATABASE_URL: 'postgres://nowhere/', NODE_ENV: 'production' };
    const given = { ...application, TMPDIR: dir.path };
    const env = { BOOTSTRAP_MAILBOX: 'team', MAIL_DOMAIN: 'shop.test', MESSAGE_TTL_MS: '60000' };
    const { client, url, token, smtp, stop } = await withVariables(given, () =>
      start({ package: ROOT, env }),
    );
    expect(await foldersOfServers()).to.have.length(1);
    expect(smtp).to.include({ host: '127.0.0.1', username: 'team' });
    const inbox = await client.mailboxes.create({ expiresIn: 300 });
    const mail = { from: 'a@b.test', subject: 'Sign in', text: 'Your code is 482913.' };
    await createTransport(smtp.url).sendMail({ ...mail, to: [inbox.address, 'one@gmail.com'] });
    expect(await inbox.waitForCode()).to.equal('482913');
    // Without a login, too.
    const { host, port } = smtp;
    await createTransport({ host, port }).sendMail({ ...mail, to: 'two@gmail.com' });
    for (const to of ['one@gmail.com', 'two@gmail.com']) {
      expect((await client.inbox('team').wait({ to })).subject).to.equal('Sign in');
    }
    const webhook = { params: { path: { name: inbox.name } }, body: { url: `${url}/` } };
    await client.api.POST('/api/mailboxes/{name}/webhooks', webhook); // http, loopback
    const { data } = await client.api.GET('/api/session');
    expect(data?.token.prefix).to.equal(token.slice(0, 8));
    expect(data?.limits.messageTtlMs).to.equal(60_000);
    await stop();
    expect(await isAway(url)).to.equal(true);
    expect(await foldersOfServers()).to.deep.equal([]);
    expect(existsSync(join(ROOT, 'ready.json'))).to.equal(false);
  });

  /** Runs an example that goes on after its last line, and kills it. */
  const endsWithIts = async (program: string, args: string[], env: NodeJS.ProcessEnv) => {
    const { child, output, exited } = follow(
      spawn(program, args, { cwd: ROOT, env: { ...env, TMPDIR: dir.path } }),
    );
    await eventually(
      'the start',
      () => {
        if (child.exitCode !== null) throw new Error(output());
        return PRINTED.test(output());
      },
      180_000, // as long as startMayfly waits
    );
    const [url = ''] = output().split(' ');
    expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    expect(await foldersOfServers()).to.have.length(1);
    child.kill('SIGKILL');
    await exited;
    await eventually('the end of Mayfly', () => isAway(url));
    await eventually('no folder', async () => (await foldersOfServers()).length === 0);
  };

  it('is the example of the documentation, and ends with its process, even by SIGKILL', async () => {
    const program = example('js', 'startMayfly').replace(
      'await mayfly.stop();',
      'setInterval(() => {}, 1000);',
    );
    await endsWithIts(process.execPath, ['--input-type=module', '-e', program], process.env);
  });

  it('is the example of the documentation for Python, and ends in the same way', async function () {
    if (!isThere('python3')) this.skip();
    const { PATH } = process.env;
    const env = { PATH, HOME: dir.path, PYTHONPATH: join(ROOT, 'packages/python/src') };
    const program = `${example('python', 'start_mayfly')}    import time; time.sleep(1000)\n`;
    await endsWithIts('python3', ['-u', '-c', program], env);
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
    const PATH = `${dir.path}${delimiter}${process.env.PATH}`;
    const { client, url, smtp, stop } = await withVariables({ PATH }, () =>
      start({ image: 'an-image' }),
    );
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
  });

  it('is not started by the set-up of a test runner if the variables name one', async () => {
    const given = { MAYFLY_PACKAGE: '/none', MAYFLY_URL: 'http://there', MAYFLY_TOKEN: 't' };
    await withVariables(given, async () => {
      await (
        await setUp()
      )();
      expect(process.env).to.include(given);
    });
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
