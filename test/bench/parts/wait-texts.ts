/**
 * Requests that compare bodies: what they cost other requests and the memory of the web process,
 * with a character that NFKC makes 18 times longer, and with much text in a mailbox.
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { askJson } from '../../load/http.ts';
import { openSession } from '../../load/smtp.ts';
import type { Figure } from '../figures.ts';
import { besideHealth } from '../health.ts';
import { type Target, onProduct } from '../target.ts';

const MIB = 1024 * 1024;
const POLL_EVERY_MS = 20;
const HEADER = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n';

interface Texts {
  work: string;
  mails: number;
  /** A line of the body, repeated until the body has `bytes`. */
  line: string;
  bytes: number;
  /** Requests of each kind. */
  atOnce: number;
}

/** One request; resolves when it is answered. */
type Ask = (target: Target, agent: Agent, mark: string) => Promise<unknown>;

const BOX = '/api/mailboxes/texts';
const KINDS: [string, Ask][] = [
  [
    'wait',
    (target, agent) =>
      askJson(target, agent, `${BOX}/messages/wait?text=absent&timeout=5&view=summary`),
  ],
  [
    'search',
    (target, agent) => askJson(target, agent, `${BOX}/messages?q=text:absent&view=summary`),
  ],
  [
    'claim',
    (target, agent) =>
      askJson(target, agent, `${BOX}/messages/claim`, { match: { text: 'absent' }, timeout: 5 }),
  ],
  ['event stream', untilReady],
];

const TEXTS: Texts[] = [
  {
    work: '24 at once, a mail of 3 MiB of U+FDFA',
    ...{ mails: 1, line: `${'\ufdfa'.repeat(100)}\r\n`, bytes: 3 * MIB, atOnce: 24 },
  },
  {
    work: 'one, 250 mails of 1 MiB',
    ...{ mails: 250, line: `${'word '.repeat(15)}\r\n`, bytes: MIB, atOnce: 1 },
  },
];

export async function waitTextFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const texts of TEXTS) {
    figures.push(
      ...(await onProduct((target) => figuresOf(target, texts), {
        WAITS_PER_WORKSPACE: '0',
        RATE_LIMIT_PRO: '0',
      })),
    );
  }
  return figures;
}

async function figuresOf(target: Target, texts: Texts): Promise<Figure[]> {
  const { mails, line, bytes, atOnce } = texts;
  await target.rest.createMailbox('texts');
  const { mark } = await target.rest.json<{ mark: string }>('GET', '/mailboxes/texts/mark');
  const body = `${HEADER}${line.repeat(Math.ceil(bytes / Buffer.byteLength(line)))}`;
  const session = await openSession(target.smtpPort);
  for (let n = 0; n < mails; n += 1) await session.send(`texts@${target.domain}`, body);
  await session.quit();
  while ((await target.rest.messageCount('texts')) < mails) await delay(POLL_EVERY_MS);

  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const figures: Figure[] = [];
  for (const [kind, ask] of KINDS) {
    const { text, values } = await besideHealth(target, () =>
      Promise.all(Array.from({ length: atOnce }, () => ask(target, agent, mark))),
    );
    figures.push({ work: `${kind} with a text, ${texts.work}`, result: text, values });
  }
  agent.destroy();
  return figures;
}

/** A stream from the mark is ready once it has compared the messages after the mark. */
async function untilReady({ origin, token }: Target, agent: Agent, mark: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const url = `${origin}${BOX}/events?text=absent&mark=${mark}`;
  const [response] = (await once(get(url, { agent, headers }), 'response')) as [IncomingMessage];
  let told = '';
  for await (const part of response) {
    told += String(part);
    if (told.includes('event: ready')) return;
  }
  throw new Error(`${url}: ${response.statusCode ?? 0} ${told}`);
}
