/**
 * Strangers beside the load of a soak: senders of hostile mail that its recipients read in each
 * way, a token of the Free plan whose client reads its responses slowly or not at all, and 1,000
 * event streams of the mailboxes that receive the hostile mail.
 */
import { type Socket, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Api, openApi } from '../../support/clients/rest-client.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { HOSTILE_SHAPES } from '../../support/mail/hostile-shapes.ts';
import { run } from '../../support/process/programs.ts';
import type { Bench } from '../harness/bench.ts';

const SENDERS = 2;
const SIZES = [20_000, 200_000, 900_000];
const MAIL_PAUSE_MS = 500;
const RECIPIENTS = 10;
/** Of each recipient: the limit of a workspace. */
const STREAMS = 100;
const STREAMS_PAUSE_MS = 5000;
/** The Free plan has 120 requests a minute. */
const UNREAD_A_MINUTE = 110;
const UNREAD_BYTES = 5 * 1024 * 1024;
const UNREAD_MAILS = 4;
/** Bytes that a slow client takes at once, each second. */
const TAKEN = 16 * 1024;
const CLEAR_MS = 60_000;
/** Lines that were slow to read by patterns of exponential or quadratic time. */
const LINES = [
  `MAIL FROM:<${'a'.repeat(60)}(@b.c>`,
  `MAIL FROM:<"${'\\'.repeat(200)}@b.c>`,
  `RCPT TO:<${'a.'.repeat(200)}@b.c>`,
  `EHLO ${'['.repeat(400)}`,
];
const READS = ['', '/html', '/headers', '/extracted', '/parts', '/raw'];

/** What was done, by name; of the streams that are open, the last number. */
export type Counts = Map<string, number>;

/** A workspace with a mailbox `hostile`. */
interface Recipient {
  domain: string;
  token: string;
  api: Api;
}

/** Resolves when all have ended after `isOver`. */
export async function keepHostileCompany(
  bench: Bench,
  counts: Counts,
  isOver: () => boolean,
): Promise<void> {
  const api = (token: string) =>
    openApi(() => ({ apiUrl: `${bench.webUrls()[0] ?? ''}/api`, token }));
  const recipients = Array.from({ length: RECIPIENTS }, (_, n): Recipient => {
    const domain = `hostile${n}.test`;
    const token = createWorkspace(bench, domain, 'pro');
    return { domain, token, api: api(token) };
  });
  for (const recipient of recipients) {
    await recipient.api.json({ method: 'POST', path: '/mailboxes', body: { name: 'hostile' } });
  }
  const free = createWorkspace(bench, 'free.test', 'free');
  await Promise.all([
    ...Array.from({ length: SENDERS }, () => sendHostileMail(bench, recipients, counts, isOver)),
    readHostileMail(recipients, counts, isOver),
    ...recipients.map((recipient) => followStreams(bench, recipient, counts, isOver)),
    leaveUnread(bench, free, api(free), counts, isOver),
  ]);
}

/**
 * Mails of each shape in turn and of some sizes. Each has a connection of its own, which begins
 * with a line that is no address.
 */
async function sendHostileMail(
  bench: Bench,
  recipients: Recipient[],
  counts: Counts,
  isOver: () => boolean,
): Promise<void> {
  const shapes = Object.values(HOSTILE_SHAPES);
  for (let n = 0; !isOver(); n += 1) {
    const mail = shapes[n % shapes.length]!(SIZES[n % SIZES.length]!);
    const data = Buffer.concat([mail, Buffer.from('\r\n')]);
    const client = await SmtpClient.open(bench.smtpPort()).catch(() => null);
    try {
      if (client === null) throw new Error('no connection');
      const { code } = await client.command(LINES[n % LINES.length]!);
      add(counts, `hostile line ${code}`);
      await client.command('RSET');
      const to = [`hostile@${recipients[n % recipients.length]!.domain}`];
      const reply = await client.send({ from: 's@x.test', to, data });
      add(counts, `hostile mail ${reply.code}`);
    } catch {
      add(counts, 'hostile connection lost');
    }
    client?.drop();
    await delay(MAIL_PAUSE_MS);
  }
}

/** Reads the newest mail of each in one way after the other, and clears them each minute. */
async function readHostileMail(
  recipients: Recipient[],
  counts: Counts,
  isOver: () => boolean,
): Promise<void> {
  const mailbox = '/mailboxes/hostile';
  let clearAt = Date.now() + CLEAR_MS;
  for (let n = 0; !isOver(); n += 1) {
    const { api } = recipients[n % recipients.length]!;
    const newest = await idOfNewest(api, mailbox);
    const paths = [
      ...(newest === null ? [] : READS.map((read) => `${mailbox}/messages/${newest}${read}`)),
      `${mailbox}/messages/wait?timeout=0&hasCode=true&view=summary`,
      `${mailbox}/messages?q=${encodeURIComponent('subject:zzz OR quartz')}`,
    ];
    for (const path of paths) {
      const answer = await api.once({ path }).catch(() => null);
      add(counts, `hostile read ${answer?.status ?? 'lost'}`);
    }
    if (Date.now() > clearAt) {
      const asked = { method: 'DELETE', path: `${mailbox}/messages` } as const;
      await Promise.all(recipients.map(({ api }) => api.once(asked).catch(() => null)));
      clearAt = Date.now() + CLEAR_MS;
    }
    await delay(MAIL_PAUSE_MS);
  }
}

async function idOfNewest(api: Api, mailbox: string): Promise<string | null> {
  const answer = await api.once({ path: `${mailbox}/messages?limit=1` }).catch(() => null);
  if (answer?.status !== 200) return null;
  const { messages } = JSON.parse(answer.body.toString()) as { messages: { id: string }[] };
  return messages[0]?.id ?? null;
}

/** Keeps the streams open, half of them from the start, and reads and drops what they tell. */
async function followStreams(
  bench: Bench,
  { token, api }: Recipient,
  counts: Counts,
  isOver: () => boolean,
): Promise<void> {
  const { mark } = await api.json<{ mark: string }>({ path: '/mailboxes/hostile/mark' });
  const open = new Set<Socket>();
  for (let n = 0; !isOver();) {
    for (; open.size < STREAMS; n += 1) {
      const from = n % 2 === 0 ? '' : `?mark=${encodeURIComponent(mark)}`;
      const stream = request(bench, `/mailboxes/hostile/events${from}`, token);
      open.add(stream);
      stream.once('data', (answer: Buffer) => {
        const isOpen = answer.toString('latin1').startsWith('HTTP/1.1 200');
        add(counts, isOpen ? 'streams open' : 'streams refused');
        stream.once('close', () => {
          if (isOpen) add(counts, 'streams open', -1);
        });
        if (!isOpen) stream.destroy();
      });
      stream.once('close', () => open.delete(stream));
      await delay(10);
    }
    await delay(STREAMS_PAUSE_MS);
  }
  for (const stream of open) stream.destroy();
}

/**
 * Requests mails of 5 MiB as often as the Free plan permits. Of the responses it reads every other
 * one slowly, and the rest not at all.
 */
async function leaveUnread(
  bench: Bench,
  token: string,
  api: Api,
  counts: Counts,
  isOver: () => boolean,
): Promise<void> {
  const { name, address } = await api.json<{ name: string; address: string }>({
    method: 'POST',
    path: '/mailboxes',
    body: {},
  });
  const mailbox = `/mailboxes/${name}`;
  const html = '<img src="cid:a">\r\n'.repeat(UNREAD_BYTES / 19);
  const mails: string[] = [];
  for (let n = 0; n < UNREAD_MAILS; n += 1) {
    const body = { to: [address], subject: `large ${n}`, html };
    await api.json({ method: 'POST', path: `${mailbox}/messages`, body });
    mails.push(
      await eventually('the large mail', async () => {
        const id = await idOfNewest(api, mailbox);
        return id !== null && !mails.includes(id) ? id : null;
      }),
    );
  }
  const unread: Socket[] = [];
  const slow = setInterval(() => {
    for (let at = 0; at < unread.length; at += 2) unread[at]?.read(TAKEN);
  }, 1000);
  for (let n = 0; !isOver(); n += 1) {
    const responses = unread.splice(0, Math.max(0, unread.length - UNREAD_A_MINUTE));
    for (const response of responses) response.destroy();
    unread.push(request(bench, `${mailbox}/messages/${mails[n % mails.length]}`, token).pause());
    add(counts, 'unread responses');
    await delay(60_000 / UNREAD_A_MINUTE);
  }
  clearInterval(slow);
  for (const response of unread) response.destroy();
}

function request(bench: Bench, path: string, token: string): Socket {
  const { hostname, port } = new URL(bench.webUrls()[0] ?? '');
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.write(
    `GET /api${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  return socket;
}

function createWorkspace(bench: Bench, domain: string, plan: 'free' | 'pro'): string {
  const program = 'dist/scripts/cli/create-workspace.js';
  const args = ['--name', domain, '--domain', domain, '--plan', plan, '--json'];
  const output = run(process.execPath, [program, ...args], {
    env: { ...process.env, ...bench.database },
  });
  return (JSON.parse(output) as { token: string }).token;
}

function add(counts: Counts, name: string, more = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}
