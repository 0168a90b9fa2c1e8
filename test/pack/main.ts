/**
 * `test/long pack`: starts the packed service with npx in an empty folder, without a registry,
 * and as a user that cannot use the repository if this one is root. Prints sizes and times.
 */
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, copyFile, mkdir, readFile, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { ROOT } from '../../core/root.ts';
import { restClient } from '../support/clients/rest-client.ts';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { isAlive } from '../support/process/product.ts';
import { freePort } from '../support/servers/free-port.ts';

const START_WITHIN_MS = 300_000;
const NOBODY = 65534;
const LEFT_OUT =
  /^package\/(?:dist\/test|test|core|docs)\/|\.map$|\/node_modules\/(?:mocha|typescript|vite)\//;

const say = (text: string) => process.stdout.write(`${text}\n`);
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};
const tarball = join(ROOT, `dist/package/mayfly-${version}.tgz`);
const listed = spawnSync('tar', ['-tzf', tarball], { encoding: 'utf8', maxBuffer: 2 ** 26 });
const files = listed.stdout.trim().split('\n');
expect(files).to.include.members([
  'package/dist/scripts/mayfly.js',
  'package/dist/dashboard/index.html',
  'package/dist/reference/swagger-ui.css',
  'package/openapi.yaml',
]);
expect(files.filter((file) => LEFT_OUT.test(file))).to.deep.equal([]);
say(`tarball: ${((await stat(tarball)).size / 2 ** 20).toFixed(1)} MiB, ${files.length} files`);

const folder = await makeTempDir();
try {
  await check(folder.path);
} finally {
  await folder.remove();
}
say('1 passed, 0 failed');

async function check(root: string): Promise<void> {
  const [home, cwd] = [join(root, 'home'), join(root, 'empty')];
  for (const each of [home, cwd]) await mkdir(each);
  await copyFile(tarball, join(cwd, basename(tarball)));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const each of [root, home, cwd]) await chown(each, NOBODY, NOBODY);
  const [port, smtpPort] = await Promise.all([freePort(), freePort()]);
  const options: SpawnOptions = {
    cwd,
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    env: {
      HOME: home,
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      npm_config_offline: 'true',
      PORT: `${port}`,
      SMTP_PORT: `${smtpPort}`,
    },
  };

  const began = performance.now();
  const up = spawn('npx', ['--yes', `./${basename(tarball)}`, 'up'], {
    ...options,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [up.stdout, up.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const token = await eventually(
    'the announcement',
    () => {
      if (up.exitCode !== null) throw new Error(output);
      return /^ {2}Token +(mf_\w+)$/m.exec(output)?.[1];
    },
    START_WITHIN_MS,
  );
  say(`from the command to "Mayfly is ready": ${seconds(began)}`);
  const rest = restClient(`http://127.0.0.1:${port}/api`, token);
  const { address } = await rest.createMailbox('hello');
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort });
  await transport.sendMail({ from: 'a@sender.test', to: address, subject: 'First', text: 'x' });
  const [message] = await eventually('the mail', async () => {
    const messages = await rest.messages('hello');
    return messages.length > 0 && messages;
  });
  expect(message?.subject).to.equal('First');
  say(`from the command to the first mail: ${seconds(began)}`);
  for (const page of ['/', '/docs/swagger-ui.css', '/openapi.yaml', '/llms.txt']) {
    expect((await fetch(`http://127.0.0.1:${port}${page}`)).status, page).to.equal(200);
  }

  const [cache = ''] = await readdir(join(home, '.npm/_npx'));
  const modules = join(home, '.npm/_npx', cache, 'node_modules');
  const used = spawnSync('du', ['-sm', modules], { encoding: 'utf8' }).stdout.split('\t')[0];
  say(`installed: ${used ?? '?'} MiB`);
  const run = (args: string[], env: Record<string, string> = {}, input = '') =>
    spawnSync(process.execPath, [join(modules, '.bin/mayfly'), ...args], {
      ...{ cwd, input, encoding: 'utf8' as const, uid: options.uid, gid: options.gid },
      env: { ...options.env, ...env },
    });
  expect(run(['--version']).stdout).to.equal(`mayfly ${version}\n`);
  expect(run(['workspace:list']).stdout).to.match(/mayfly\.localhost +mayfly +pro +2 +1/);
  expect(run(['token:create']).stderr).to.include('/.bin/mayfly token:create --domain');
  expect(run(['none'])).to.include({ status: 2, stdout: '' });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const tool = JSON.stringify({ ...call, params: { name: 'list_mailboxes', arguments: {} } });
  const url = { MAYFLY_URL: `http://127.0.0.1:${port}`, MAYFLY_TOKEN: token };
  expect(run(['mcp'], url, `${tool}\n`).stdout).to.include('"hello@mayfly.localhost"');
  expect(await readdir(join(home, '.local/share'))).to.deep.equal(['mayfly']);
  expect(await readdir(cwd)).to.deep.equal([basename(tarball)]);

  const pids = Array.from(output.matchAll(/started \(pid (\d+)\)/g), ([, pid]) => Number(pid));
  expect(pids).to.have.length(4);
  const ended = once(up, 'close');
  process.kill(-(up.pid ?? 0), 'SIGINT'); // as Ctrl-C does
  await ended;
  await eventually('every process to end', () => !pids.some(isAlive));

  const unpacked = join(home, 'unpacked');
  const restarted = performance.now();
  const { uid, gid } = options;
  const untar = `mkdir ${unpacked} && tar -xzf ${basename(tarball)} -C ${unpacked}`;
  expect(spawnSync('sh', ['-c', untar], { cwd, uid, gid }).status).to.equal(0);
  const again = spawn(join(unpacked, 'package/dist/scripts/mayfly.js'), ['up'], {
    ...options,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  again.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await eventually('the second start', () => text.includes('Mayfly is ready.'), START_WITHIN_MS);
  say(`unpacked with tar and started: ${seconds(restarted)}`);
  const over = once(again, 'close');
  again.kill('SIGTERM');
  expect((await over)[0]).to.equal(0);

  const without = run(['up'], { PATH: '/nonexistent', DATA_DIR: 'other' });
  expect(without.status).to.equal(1);
  expect(without.stderr).to.match(
    /^mayfly: Neither redis-server nor valkey-server is installed\. Install one \(.*\), or set REDIS_URL.*\n$/,
  );
  say(`without Redis: ${without.stderr.trim()}`);
  expect(await readdir(cwd)).to.have.members([basename(tarball), 'other']);
}
