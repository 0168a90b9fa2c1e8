/**
 * Waits that compare bodies: what they cost other requests and the memory of the web process, with
 * a character that NFKC makes 18 times longer, and with much text in a mailbox.
 */
import { Agent } from 'node:http';
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
  waits: number;
}

const TEXTS: Texts[] = [
  {
    work: '24 waits for a text, a mail of 3 MiB of U+FDFA',
    ...{ mails: 1, line: `${'\ufdfa'.repeat(100)}\r\n`, bytes: 3 * MIB, waits: 24 },
  },
  {
    work: 'a wait for a text, 250 mails of 1 MiB',
    ...{ mails: 250, line: `${'word '.repeat(15)}\r\n`, bytes: MIB, waits: 1 },
  },
];

export async function waitTextFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const texts of TEXTS) {
    figures.push(
      await onProduct((target) => figureOf(target, texts), { WAITS_PER_WORKSPACE: '0' }),
    );
  }
  return figures;
}

async function figureOf(target: Target, texts: Texts): Promise<Figure> {
  const { mails, line, bytes, waits } = texts;
  await target.rest.createMailbox('texts');
  const body = `${HEADER}${line.repeat(Math.ceil(bytes / Buffer.byteLength(line)))}`;
  const session = await openSession(target.smtpPort);
  for (let n = 0; n < mails; n += 1) await session.send(`texts@${target.domain}`, body);
  await session.quit();
  while ((await target.rest.messageCount('texts')) < mails) await delay(POLL_EVERY_MS);

  const path = '/api/mailboxes/texts/messages/wait?text=absent&timeout=5&view=summary';
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const { text, values } = await besideHealth(target, () =>
    Promise.all(Array.from({ length: waits }, () => askJson(target, agent, path))),
  );
  agent.destroy();
  return { work: texts.work, result: `answered in ${text}`, values };
}
