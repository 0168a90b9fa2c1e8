/** Programs with which applications send mail, called as in practice. */
import { spawn } from 'node:child_process';
import { createTransport } from 'nodemailer';

/** How a program connects. */
export type Way = 'plain' | 'starttls' | 'tls';

export interface Server {
  port: number;
  way: Way;
  username: string;
  password: string;
  /** PEM of the certificate to trust. */
  certFile: string;
}

export interface OutgoingMail {
  from: string;
  to: string[];
  /** With CRLF line ends. */
  raw: string;
}

export interface Sender {
  name: string;
  /** The Debian package or npm package; without it, the run fails. */
  needs: string;
  isThere: () => Promise<boolean>;
  send: (server: Server, mail: OutgoingMail) => Promise<void>;
}

const HOST = 'localhost';

/** Debian's, for which its package of Django is. Another python3 can precede it on PATH. */
export const DEBIAN_PYTHON = '/usr/bin/python3';

/** Runs a program with this input. @throws with its output if it fails. */
export async function run(
  command: string[],
  input = '',
  env: Record<string, string> = {},
): Promise<string> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env } });
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  child.stderr.on('data', (part: Buffer) => (output += part.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
    child.on('error', () => {
      resolve(-1);
    });
  });
  if (code !== 0)
    throw new Error(`${program} ended with ${code ?? 'a signal'}: ${output.slice(-2000)}`);
  return output;
}

export const works = (...command: string[]) =>
  run(command).then(
    () => true,
    () => false,
  );

const PYTHON = `
import json, smtplib, ssl, sys
job = json.load(sys.stdin)
context = ssl.create_default_context(cafile=job['certFile'])
if job['way'] == 'tls':
    client = smtplib.SMTP_SSL('${HOST}', job['port'], context=context)
else:
    client = smtplib.SMTP('${HOST}', job['port'])
    if job['way'] == 'starttls':
        client.starttls(context=context)
client.login(job['username'], job['password'])
client.sendmail(job['from'], job['to'], job['raw'].encode())
client.quit()
`;

const DJANGO = `
import json, sys
job = json.load(sys.stdin)
from django.conf import settings
settings.configure(EMAIL_HOST='${HOST}', EMAIL_PORT=job['port'], EMAIL_HOST_USER=job['username'],
    EMAIL_HOST_PASSWORD=job['password'], EMAIL_USE_TLS=job['way'] == 'starttls',
    EMAIL_USE_SSL=job['way'] == 'tls')
import django
django.setup()
from django.core.mail import send_mail
subject = job['raw'].split('Subject: ')[1].split('\\r\\n')[0]
assert send_mail(subject, 'Here is the message.', job['from'], job['to']) == 1
`;

const withPython =
  (python: string, script: string) => async (server: Server, mail: OutgoingMail) => {
    const job = JSON.stringify({ ...server, ...mail });
    await run([python, '-c', script], job, { SSL_CERT_FILE: server.certFile });
  };

export const senders: Sender[] = [
  {
    name: 'swaks',
    needs: 'swaks',
    isThere: () => works('swaks', '--version'),
    send: async ({ port, way, username, password, certFile }, { from, to, raw }) => {
      const tls = { plain: [], starttls: ['-tls'], tls: ['-tlsc'] }[way];
      const verify = way === 'plain' ? [] : ['--tls-ca-path', certFile];
      const login = ['--auth', 'PLAIN', '-au', username, '-ap', password];
      const envelope = ['-f', from, '-t', to.join(','), '-d', '-'];
      await run(['swaks', '-s', `${HOST}:${port}`, ...tls, ...verify, ...login, ...envelope], raw);
    },
  },
  {
    name: 'msmtp',
    needs: 'msmtp',
    isThere: () => works('msmtp', '--version'),
    send: async ({ port, way, username, password, certFile }, { from, to, raw }) => {
      const tls = {
        plain: ['--tls=off'],
        starttls: ['--tls=on', '--tls-starttls=on', `--tls-trust-file=${certFile}`],
        tls: ['--tls=on', '--tls-starttls=off', `--tls-trust-file=${certFile}`],
      }[way];
      const login = ['--auth=plain', `--user=${username}`, `--passwordeval=echo ${password}`];
      const server = [`--host=${HOST}`, `--port=${port}`, `--from=${from}`];
      await run(['msmtp', ...server, ...tls, ...login, '--', ...to], raw);
    },
  },
  {
    name: 'curl',
    needs: 'curl',
    isThere: () => works('curl', '--version'),
    send: async ({ port, way, username, password, certFile }, { from, to, raw }) => {
      const tls = { plain: [], starttls: ['--ssl-reqd'], tls: [] }[way];
      const url = `${way === 'tls' ? 'smtps' : 'smtp'}://${HOST}:${port}`;
      const login = ['--user', `${username}:${password}`, '--cacert', certFile];
      const envelope = ['--mail-from', from, ...to.flatMap((each) => ['--mail-rcpt', each])];
      await run(['curl', '-sS', url, ...tls, ...login, ...envelope, '-T', '-'], raw);
    },
  },
  {
    name: 'smtplib',
    needs: 'python3',
    isThere: () => works('python3', '-c', 'import smtplib, ssl'),
    send: withPython('python3', PYTHON),
  },
  {
    name: 'Django',
    needs: 'python3-django',
    isThere: () => works(DEBIAN_PYTHON, '-c', 'import django'),
    send: withPython(DEBIAN_PYTHON, DJANGO),
  },
  {
    name: 'Nodemailer',
    needs: 'nodemailer',
    isThere: async () => true,
    send: async ({ port, way, username, password }, { from, to, raw }) => {
      const transport = createTransport({
        ...{ host: HOST, port, secure: way === 'tls', auth: { user: username, pass: password } },
        ...(way === 'plain' ? { ignoreTLS: true } : { requireTLS: way === 'starttls' }),
        tls: { rejectUnauthorized: false },
      });
      await transport.sendMail({ envelope: { from, to }, raw });
      transport.close();
    },
  },
];
