/**
 * Mail of one workspace beside a flood of another: from its 250 until a wait for it is answered,
 * and until a wait says that all accepted mail is visible (`settled`). The exit code is 1 if any
 * mail is refused or takes longer than the limits.
 */
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { askJson } from '../../load/http.ts';
import { openSession, sharedNow } from '../../load/smtp.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import { type Figure, percentile } from '../figures.ts';
import { settings } from '../settings.ts';
import { type Target, createOtherWorkspace, onProduct } from '../target.ts';

const FLOOD_MS = 60_000;
const EVERY_MS = 500;
/** A refused client comes again. */
const PAUSE_MS = 100;
const TINY = 'Subject: x\r\n\r\ny\r\n';
const bodyOf = (lines: number) => `Subject: large\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(lines)}`;
/** The most that mail beside a flood may take. */
const MAX_P95_MS = 1000;
const MAX_WORST_MS = 3000;

interface Flood {
  work: string;
  connections: number;
  recipients: string[];
  body: string;
}

const tagsOf = (name: string, tags: number) =>
  Array.from({ length: tags }, (_, n) => `${name}+${n}@flood.test`);
const MAILBOXES = Array.from({ length: 40 }, (_, n) => `box-${n}`);

const FLOODS: Flood[] = [
  {
    work: '17 bytes to 1,000 tags of a mailbox by 8 connections',
    connections: 8,
    recipients: tagsOf('box-0', 1000),
    body: TINY,
  },
  {
    work: '17 bytes to 20 tags of each of 40 mailboxes by 8 connections',
    connections: 8,
    recipients: MAILBOXES.flatMap((name) => tagsOf(name, 20)),
    body: TINY,
  },
  {
    work: '20 KB to a mailbox by 50 connections',
    connections: 50,
    recipients: ['box-0@flood.test'],
    body: bodyOf(256),
  },
  {
    work: '17 bytes to 20 tags of a mailbox by 8 connections',
    connections: 8,
    recipients: tagsOf('box-0', 20),
    body: TINY,
  },
  {
    work: '1.2 MB (heavy) to a mailbox by 8 connections',
    connections: 8,
    recipients: ['box-0@flood.test'],
    body: bodyOf(15_400),
  },
];

export async function floodFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const flood of FLOODS.filter(({ work }) => work.includes(settings.only))) {
    const beside = (target: Target) => figureBeside(target, flood);
    const limits = { SMTP_MAX_TAGS: '0', SMTP_MAX_RCPT: '1000', WAITS_PER_WORKSPACE: '0' };
    figures.push(await onProduct(beside, limits));
  }
  return figures;
}

async function figureBeside(target: Target, flood: Flood): Promise<Figure> {
  const flooded = createOtherWorkspace(target, 'flood.test');
  for (const name of MAILBOXES) await flooded.rest.createMailbox(name);
  await target.rest.createMailbox('calm');
  const end = performance.now() + FLOOD_MS;
  const sent = { mails: 0, refused: 0 };
  const flooding = Promise.all(
    Array.from({ length: flood.connections }, () => floodUntil(end, target, flood, sent)),
  );
  const { visible, settled, refused } = await measureUntil(end, target);
  await flooding;
  const [visibleP95, settledP95] = [percentile(visible, 0.95), percentile(settled, 0.95)];
  const worst = Math.max(...visible);
  // No figure at all is NaN, which is not within a limit either.
  const isWithin =
    [visibleP95, settledP95].every((p95) => p95 <= MAX_P95_MS) &&
    worst <= MAX_WORST_MS &&
    refused === 0;
  if (!isWithin) process.exitCode = 1;
  const show = (took: number[]) =>
    `${percentile(took, 0.5).toFixed(0)} / ${percentile(took, 0.95).toFixed(0)} / ${Math.max(...took).toFixed(0)} ms`;
  return {
    work: flood.work,
    result:
      `${isWithin ? '' : 'FAILED: '}${visible.length} mails, ${refused} refused, visible p50 / p95 / worst ${show(visible)}, ` +
      `settled ${show(settled)}; the flood: ${sent.mails} mails, ${sent.refused} refused`,
    values: { visibleP95, worst, settledP95, refused },
  };
}

async function floodUntil(
  end: number,
  { smtpPort }: Target,
  { recipients, body }: Flood,
  sent: { mails: number; refused: number },
): Promise<void> {
  const client = await SmtpClient.open(smtpPort);
  const named = recipients.map((address) => `RCPT TO:<${address}>\r\n`).join('');
  while (performance.now() < end) {
    client.write(`MAIL FROM:<flood@bench.example>\r\n${named}`);
    let accepted = 0;
    for (let n = 0; n <= recipients.length; n += 1) {
      if ((await client.reply()).code === 250) accepted += 1;
    }
    if (accepted > 1 && (await client.command('DATA')).code === 354) {
      client.write(`${body}.\r\n`);
      if ((await client.reply()).code === 250) {
        sent.mails += 1;
        continue;
      }
    }
    sent.refused += 1;
    await client.command('RSET');
    await delay(PAUSE_MS);
  }
  await client.quit();
}

async function measureUntil(end: number, target: Target) {
  const agent = new Agent({ keepAlive: true });
  const session = await openSession(target.smtpPort);
  const wait = (query: string) =>
    askJson<{ outcome: string; settled: boolean }>(
      target,
      agent,
      `/api/mailboxes/calm/messages/wait?view=summary&${query}`,
    );
  const [visible, settled]: [number[], number[]] = [[], []];
  let refused = 0;
  for (let n = 0; performance.now() < end; n += 1) {
    const next = performance.now() + EVERY_MS;
    try {
      await session.send(`calm@${target.domain}`, `Subject: calm-${n}.\r\n\r\nx\r\n`);
      const accepted = sharedNow();
      const [, isSettled] = await Promise.all([
        untilMatched(wait, n).then(() => visible.push(sharedNow() - accepted)),
        untilSettled(wait).then(() => sharedNow() - accepted),
      ]);
      settled.push(isSettled);
    } catch (error) {
      if (!String(error).includes('refused')) throw error;
      refused += 1;
    }
    await delay(Math.max(0, next - performance.now()));
  }
  await session.quit();
  agent.destroy();
  return { visible, settled, refused };
}

type Wait = (query: string) => Promise<{ outcome: string; settled: boolean }>;

async function untilMatched(wait: Wait, n: number): Promise<void> {
  while ((await wait(`subject=calm-${n}.&timeout=55`)).outcome !== 'matched');
}

/** A wait that nothing matches is held back for up to a second until all mail is visible. */
async function untilSettled(wait: Wait): Promise<void> {
  while (!(await wait('subject=none&timeout=0')).settled);
}
