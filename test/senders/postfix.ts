/** Postfix as a relay: it takes mail without a login and sends it on with SASL. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { freePort } from '../support/servers/free-port.ts';
import type { Server } from './senders.ts';

const run = promisify(execFile);

const CONNECTIONS = 10;
const DELIVERED_WITHIN_MS = 300_000;

/**
 * Sends a mail to each recipient through Postfix, and resolves once its queue is empty.
 * @param server without or with STARTTLS
 */
export async function sendThroughPostfix(server: Server, recipients: string[]): Promise<void> {
  const postfix = await startPostfix(server);
  try {
    await Promise.all(
      Array.from({ length: Math.min(CONNECTIONS, recipients.length) }, async (_, lane) => {
        const client = await SmtpClient.open(postfix.port);
        for (let n = lane; n < recipients.length; n += CONNECTIONS) {
          const to = recipients[n] ?? '';
          const data = Buffer.from(`Subject: ${n}\r\n\r\n${'x'.repeat(70)}\r\n`);
          const reply = await client.send({ from: 'app@client.example', to: [to], data });
          if (reply.code !== 250) throw new Error(`Postfix: ${reply.code} ${reply.text}`);
        }
        await client.quit();
      }),
    );
    const isEmpty = async () => (await postfix.queued()) === 0;
    await eventually('an empty queue of Postfix', isEmpty, DELIVERED_WITHIN_MS);
  } finally {
    await postfix.stop();
  }
}

interface Postfix {
  /** The port of its SMTP server. */
  port: number;
  /** The number of mails in its queue. */
  queued: () => Promise<number>;
  stop: () => Promise<void>;
}

/**
 * @throws if Postfix is not installed, or if this process does not run as root, which Postfix
 *   requires.
 */
async function startPostfix(server: Server): Promise<Postfix> {
  const folder = await makeTempDir();
  const config = join(folder.path, 'config');
  const port = await freePort();
  const owner = { queue: join(folder.path, 'queue'), data: join(folder.path, 'data') };
  for (const path of [config, owner.queue, owner.data]) await mkdir(path, { recursive: true });
  await run('chmod', ['755', folder.path]);
  await run('chown', ['postfix', owner.data]);
  await copyFile('/etc/postfix/dynamicmaps.cf', join(config, 'dynamicmaps.cf'));
  const { username, password, certFile } = server;
  const tls =
    server.way === 'plain'
      ? ['smtp_tls_security_level = none']
      : ['smtp_tls_security_level = encrypt', `smtp_tls_CAfile = ${certFile}`];
  await writeFile(
    join(config, 'main.cf'),
    [
      'compatibility_level = 3.6',
      `queue_directory = ${owner.queue}`,
      `data_directory = ${owner.data}`,
      `maillog_file = ${join(folder.path, 'mail.log')}`,
      `maillog_file_prefixes = ${folder.path}`,
      'myhostname = relay.example',
      'mydestination =',
      'mynetworks = 127.0.0.0/8',
      'inet_interfaces = 127.0.0.1',
      'inet_protocols = ipv4',
      `relayhost = [127.0.0.1]:${server.port}`,
      'smtp_sasl_auth_enable = yes',
      `smtp_sasl_password_maps = static:${username}:${password}`,
      'smtp_sasl_security_options = noanonymous',
      'smtp_sasl_mechanism_filter = plain, login',
      ...tls,
      'minimal_backoff_time = 5s',
      'maximal_backoff_time = 20s',
      'queue_run_delay = 5s',
      '',
    ].join('\n'),
  );
  await writeFile(join(config, 'master.cf'), await masterOf(port));
  const postfix = (...args: string[]) => run('postfix', ['-c', config, ...args]);
  await postfix('start');
  return {
    port,
    queued: async () => {
      const { stdout } = await run('postqueue', ['-c', config, '-j']);
      return stdout.split('\n').filter((line) => line !== '').length;
    },
    stop: async () => {
      await postfix('stop');
      await folder.remove();
    },
  };
}

/** The services of Debian, with the SMTP server on another port. */
async function masterOf(port: number): Promise<string> {
  const given = await readFile('/etc/postfix/master.cf', 'utf8');
  return given
    .replace(/^smtp( +inet )/m, `${port}$1`)
    .replace(/^(\S+ +\S+ +\S+ +\S+ +)y( )/gm, '$1n$2');
}
