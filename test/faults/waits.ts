/** F18: processes die or stop, and clocks differ, while many requests wait for messages. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { type Bench, openBench } from './harness/bench.ts';
import type { Fault, FaultGroup, Situation } from './harness/fault.ts';
import { CLOCK_VARIABLE } from './preload/points.ts';

const WAITS = 40;
/** From the 250 or the end of the fault, whichever is later, to the response. */
const LATE_MS = 6000;
const WITHIN_MS = 300_000;
const RETRY_MS = 100;
const STOPPED_MS = 60_000;

interface Answer {
  outcome: string;
  mark: string;
  messages: { id: string }[];
}

/** Repeats the same wait until a message matches; resolves to the time of the response. */
async function waitFor(bench: Bench, mailbox: string, subject: string, n: number): Promise<number> {
  const giveUpAt = Date.now() + WITHIN_MS;
  const urls = bench.webUrls();
  let mark = '';
  for (let attempt = 0; Date.now() < giveUpAt; attempt += 1) {
    const url = urls[(n + attempt) % urls.length] ?? '';
    const query = `subject=${subject}&timeout=25&view=summary${mark && `&mark=${mark}`}`;
    try {
      const response = await fetch(`${url}/api/mailboxes/${mailbox}/messages/wait?${query}`, {
        headers: { Authorization: `Bearer ${bench.token}` },
      });
      if (response.ok) {
        const answer = (await response.json()) as Answer;
        if (answer.outcome === 'matched') return Date.now();
        ({ mark } = answer);
      } else if (response.status !== 503) throw new RangeError(`answered ${response.status}`);
    } catch (error) {
      if (error instanceof RangeError) throw error;
    }
    await delay(RETRY_MS);
  }
  throw new Error(`no match for ${subject} in ${mailbox}`);
}

/** Ids of all messages, read by waits that each continue at the mark of the one before. */
async function readOn(
  { api }: Bench,
  mailbox: string,
  from: string,
  isOver: () => boolean,
): Promise<string[]> {
  const seen: string[] = [];
  let mark = from;
  for (;;) {
    const isLast = isOver();
    const path = `/mailboxes/${mailbox}/messages/wait?timeout=${isLast ? 0 : 1}&view=summary&mark=${mark}`;
    const answer = await api.json<Answer>({ path });
    seen.push(...answer.messages.map(({ id }) => id));
    ({ mark } = answer);
    if (isLast && answer.messages.length === 0) return seen;
  }
}

/** Ids of all messages, newest first. */
async function listAll({ api }: Bench, mailbox: string): Promise<string[]> {
  const path = `/mailboxes/${mailbox}/messages?limit=100&view=summary`;
  return (await api.json<Answer>({ path })).messages.map(({ id }) => id);
}

/** Sends until the mail is accepted; resolves to the time of the 250. */
async function sendUntilAccepted(bench: Bench, mailbox: string, subject: string): Promise<number> {
  const to = [`${mailbox}@${bench.product().domain}`];
  for (;;) {
    try {
      const client = await SmtpClient.open(bench.smtpPort());
      const data = Buffer.from(`Subject: ${subject}\r\n\r\nx\r\n`);
      const { code } = await client.send({ from: 'waits@elsewhere.example', to, data });
      client.drop();
      if (code === 250) return Date.now();
    } catch {
      // The connection was lost; a mail that is sent twice matches twice.
    }
    await delay(RETRY_MS);
  }
}

/** Waits over all web processes, sends their mails before, during and after the disturbance. */
async function waitsAcross(
  { bench }: Situation,
  id: string,
  disturb: () => Promise<unknown>,
): Promise<void> {
  const mailbox = `waits-${id}`;
  await bench.api.patiently({ method: 'POST', path: '/mailboxes', body: { name: mailbox } });
  const { mark } = await bench.api.json<Answer>({ path: `/mailboxes/${mailbox}/mark` });
  let isOver = false;
  const reading = readOn(bench, mailbox, mark, () => isOver);
  const subjects = Array.from({ length: WAITS }, (_, n) => `${id}-${n}.`);
  const waits = subjects.map((subject, n) => waitFor(bench, mailbox, subject, n));
  const answered = Promise.allSettled(waits);
  await delay(500); // most waits sleep
  const sent: Promise<number>[] = [];
  const sendNext = (count: number) => {
    for (const subject of subjects.slice(sent.length, sent.length + count)) {
      sent.push(sendUntilAccepted(bench, mailbox, subject));
    }
  };
  sendNext(WAITS / 4);
  const disturbed = disturb();
  sendNext(WAITS / 4);
  await disturbed;
  await bench.isReady();
  const over = Date.now();
  sendNext(WAITS / 2);
  const accepted = await Promise.all(sent);
  const results = await answered;
  const missed = results.filter(({ status }) => status === 'rejected').length;
  isOver = true;
  const seen = await reading;
  const stored = await listAll(bench, mailbox);
  const unread = stored.filter((each) => !seen.includes(each)).length;
  const twice = seen.length - new Set(seen).size;
  const took = results.map((result, n) =>
    result.status === 'fulfilled' ? result.value - Math.max(accepted[n] ?? 0, over) : 0,
  );
  const latest = Math.max(...took);
  const late = took.filter((ms) => ms > LATE_MS).length;
  console.log(
    `  waits: ${WAITS - missed} answered, ${missed} missed, ${late} late, latest ${latest} ms`,
  );
  console.log(`  by marks: ${stored.length} stored, ${unread} missed, ${twice} twice`);
  if (missed > 0 || late > 0) throw new Error(`${missed} waits missed a mail, ${late} were late`);
  if (unread > 0 || twice > 0) throw new Error(`marks missed ${unread} mails, ${twice} came twice`);
}

const faults: Fault[] = [
  {
    id: 'F18',
    title: 'Redis is killed during waits',
    inject: (situation) => waitsAcross(situation, 'redis', () => situation.bench.kill('redis')),
  },
  {
    id: 'F18',
    title: 'a web process is killed during waits',
    inject: (situation) => waitsAcross(situation, 'web', () => situation.bench.kill('web')),
  },
  {
    id: 'F18',
    title: 'the clocks of two SMTP processes are 10 minutes apart',
    inject: (situation) => waitsAcross(situation, 'clocks', () => delay(1000)),
  },
  {
    id: 'F18',
    title: 'a worker is stopped for a minute during waits',
    slow: true,
    inject: (situation) =>
      waitsAcross(situation, 'stopped', async () => {
        situation.bench.product().kill('worker.1', 'SIGSTOP');
        await delay(STOPPED_MS);
        situation.bench.product().kill('worker.1', 'SIGCONT');
      }),
  },
];

const AHEAD_MS = 600_000;

export const waitGroup: FaultGroup = {
  title: 'waits while processes die and clocks differ',
  // Less than one worker stores, or the mail of the waits is behind a backlog of its workspace.
  load: { pauseMs: 300 },
  openBench: () =>
    openBench({
      isDouble: true,
      prepareSecondSmtp: async (folder) => {
        const clock = join(folder, 'clock-of-smtp2');
        await writeFile(clock, String(AHEAD_MS));
        return { [CLOCK_VARIABLE]: clock };
      },
    }),
  faults,
};
