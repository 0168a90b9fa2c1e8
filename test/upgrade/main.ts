/**
 * `test/long upgrade REF [MAILS]`: builds the version of a git ref, and runs its worker and SMTP
 * process on the Redis and the database of this version, which runs whole. Mails arrive at both
 * SMTP processes while each worker is killed once. No mail is lost or stored twice, and a client
 * that reads on from marks meanwhile gets each once.
 */
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '../../core/root.ts';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { type TestProcess, start } from '../support/process/process.ts';
import { type Product, startProduct } from '../support/process/product.ts';
import { freePort } from '../support/servers/free-port.ts';
import { SmtpClient } from '../support/clients/smtp-client.ts';

const CONNECTIONS = 4;
/** Every so many mails, one is above the limit of what a worker parses itself. */
const LARGE_EVERY = 50;
const LINE = `${'x'.repeat(60)}\r\n`;

const [ref = '', mails = '4000'] = process.argv.slice(2);
if (ref === '') throw new Error('usage: test/long upgrade REF [MAILS]');
const [checkout, data] = [await makeTempDir(), await makeTempDir()];
build(ref, checkout.path);
const product = await startProduct({ DATA_DIR: data.path });
const smtpPort = await freePort();
const old = (program: string) =>
  start(relative(ROOT, join(checkout.path, `dist/${program}.js`)), {
    ...{ DATA_DIR: data.path, BIND_HOST: '127.0.0.1', SMTP_PORT: `${smtpPort}` },
    ...{ MAIL_DOMAIN: product.domain, NODE_ENV: 'development' },
  });
const processes: TestProcess[] = [];
try {
  processes.push(await old('jobs/worker'), await old('haraka-plugin/server'));
  await check(product, Number(mails));
} finally {
  await Promise.all(processes.map(({ stop }) => stop()));
  await product.stop();
  await Promise.all([checkout.remove(), data.remove()]);
}

function build(version: string, folder: string): void {
  const archive = execFileSync('git', ['archive', version], { cwd: ROOT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  for (const name of ['node_modules', '.node']) symlinkSync(join(ROOT, name), join(folder, name));
  execFileSync('scripts/build', { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
}

async function check({ rest, ask, domain, kill }: Product, count: number): Promise<void> {
  await rest.createMailbox('box');
  const read = async (query: string) => {
    const { status, body } = await ask('GET', `/mailboxes/box/messages${query}`);
    if (status !== 200) throw new Error(`${query}: ${status} ${String(body)}`);
    return JSON.parse(String(body)) as {
      mark: string;
      nextCursor?: string | null;
      messages: { subject: string }[];
    };
  };
  let { mark } = await read('?limit=1');
  const followed: string[] = [];
  let isDone = false;
  const follow = async () => {
    for (;;) {
      const isLast = isDone;
      const answer = await read(`/wait?mark=${mark}&count=100&timeout=${isLast ? 0 : 1}`);
      followed.push(...answer.messages.map(({ subject }) => subject));
      mark = answer.mark;
      if (isLast && answer.messages.length === 0) return;
    }
  };

  let next = 0;
  const accepted: string[] = [];
  const disturb = async (n: number) => {
    if (n === Math.floor(count / 3)) processes[0]?.child.kill('SIGKILL');
    if (n === Math.floor(count / 3) + 50) processes[0] = await old('jobs/worker');
    if (n === Math.floor((2 * count) / 3)) kill('worker', 'SIGKILL');
  };
  const sendTo = async (port: number) => {
    const client = await SmtpClient.open(port);
    while (next < count) {
      const n = (next += 1);
      await disturb(n);
      const lines = n % LARGE_EVERY === 0 ? 20_000 : 1;
      const data = Buffer.from(`Subject: ${n}\r\n\r\n${LINE.repeat(lines)}`);
      const reply = await client.send({ from: 'a@b.example', to: [`box@${domain}`], data });
      if (reply.code === 250) accepted.push(`${n}`);
    }
    await client.quit();
  };
  const ports = Array.from({ length: CONNECTIONS }, () => [product.smtpPort, smtpPort]).flat();
  const send = async () => {
    await Promise.all(ports.map(sendTo));
    const isStored = async () => (await rest.messageCount('box')) >= accepted.length;
    await eventually('all mail', isStored, 120_000).catch((error: unknown) => {
      process.stdout.write(`${String(error)}\n`);
    });
    isDone = true;
  };
  await Promise.all([follow(), send()]);

  const stored: string[] = [];
  let page = await read('?limit=100');
  for (;;) {
    stored.push(...page.messages.map(({ subject }) => subject));
    if (!page.nextCursor) break;
    page = await read(`?limit=100&after=${page.nextCursor}`);
  }
  const compare = (seen: string[]) => {
    const distinct = new Set(seen);
    const lost = accepted.filter((subject) => !distinct.has(subject)).length;
    return { lost, twice: seen.length - distinct.size };
  };
  const result = { sent: count, accepted: accepted.length, stored: compare(stored) };
  const all = { ...result, followed: compare(followed) };
  process.stdout.write(`${JSON.stringify(all)}\n`);
  const faults = [all.stored, all.followed].flatMap(({ lost, twice }) => [lost, twice]);
  if (faults.some((n) => n > 0)) process.exitCode = 1;
}
