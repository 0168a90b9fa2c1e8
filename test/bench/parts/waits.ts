/** Latency of waits beside many others, and the memory and completeness of very many. */
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, spread } from '../figures.ts';
import { askJson } from '../../load/http.ts';
import { createMailboxes } from '../../load/mailboxes.ts';
import { sendPaced, sharedNow } from '../../load/smtp.ts';
import { settings } from '../settings.ts';
import { type Target, onProduct } from '../target.ts';
import { memoryOf } from './memory.ts';

const MAILBOXES = 100;
const PER_SECOND = 100;
const SECONDS = 20;
/** Before the measured mails: processes compile what they run, and load what they need first. */
const WARM_UP_SECONDS = 5;
const FAST_PER_SECOND = 1000;
const POLL_MS = 200;
const MEMORY_POLL_MS = 1000;
/** An idle process has collected its garbage after this time. */
const COLLECTED_WITHIN_MS = 31_000;

/** Waits are limited neither by number nor by rate. */
const UNLIMITED = {
  WAITS_PER_WORKSPACE: '0',
  RATE_LIMIT_PRO: '0',
  RATE_LIMIT_FREE: '0',
  HTTP_MAX_CONNECTIONS: '12000',
  LOG_REQUESTS: 'false',
  OPERATOR_PASSWORD: 'bench-password',
};

interface WaitAnswer {
  outcome: string;
  messages: unknown[];
}

export async function waitFigures(): Promise<Figure[]> {
  const [beside = 0, many = 0] = settings.waits;
  return onProduct(async (target) => {
    const mailboxes = Array.from({ length: MAILBOXES }, (_, n) => `wait-${n}`);
    await createMailboxes(target.rest, mailboxes);
    const bench = new Waits(target, mailboxes);
    const latency = await latencyFigure(bench, beside);
    return [latency, ...(many > 0 ? await manyFigures(bench, many) : [])];
  }, UNLIMITED);
}

/** The n-th wait is for the n-th mail. */
class Waits {
  readonly agent = new Agent({ keepAlive: true, maxSockets: Infinity });

  readonly target: Target;
  readonly mailboxes: string[];

  constructor(target: Target, mailboxes: string[]) {
    this.target = target;
    this.mailboxes = mailboxes;
  }

  /** Repeats a wait that times out; resolves to the time of the match, by {@link sharedNow}. */
  async wait(n: number, run: string): Promise<number> {
    const name = this.mailboxOf(n);
    const query = `subject=${run}-${n}.&timeout=55&view=summary`;
    for (;;) {
      const { outcome } = await askJson<WaitAnswer>(
        this.target,
        this.agent,
        `/api/mailboxes/${name}/messages/wait?${query}`,
      );
      if (outcome === 'matched') return sharedNow();
    }
  }

  mail(n: number, run: string): { recipient: string; body: string } {
    const recipient = `${this.mailboxOf(n)}@${this.target.domain}`;
    return { recipient, body: `Subject: ${run}-${n}.\r\n\r\n${'x'.repeat(500)}\r\n` };
  }

  /** Resolves once so many waits are open. */
  async opened(count: number): Promise<void> {
    const { origin } = this.target;
    const headers = {
      Authorization: `Basic ${Buffer.from(`operator:${UNLIMITED.OPERATOR_PASSWORD}`).toString('base64')}`,
    };
    for (;;) {
      const metrics = await (await fetch(`${origin}/metrics`, { headers })).text();
      const open = [...metrics.matchAll(/^mayfly_waits\{.*\} (\d+)$/gm)];
      if (open.length === 0) throw new Error(`/metrics has no mayfly_waits:\n${metrics}`);
      if (open.reduce((sum, [, waits]) => sum + Number(waits), 0) >= count) return;
      await delay(POLL_MS);
    }
  }

  private mailboxOf(n: number): string {
    return this.mailboxes[n % MAILBOXES] ?? '';
  }
}

/** From the 250 to the response, with `open` waits open at any time. */
async function latencyFigure(bench: Waits, open: number): Promise<Figure> {
  const warmUp = PER_SECOND * WARM_UP_SECONDS;
  const mails = warmUp + PER_SECOND * SECONDS;
  const answered: Promise<number>[] = [];
  const start = (n: number): void => {
    answered[n] = bench.wait(n, 'l').then((at) => {
      if (n + open < mails) start(n + open);
      return at;
    });
  };
  for (let n = 0; n < Math.min(open, mails); n += 1) start(n);
  await bench.opened(Math.min(open, mails));
  const accepted = await sendPaced({
    ...{ port: bench.target.smtpPort, mails, perSecond: PER_SECOND },
    mail: (n) => bench.mail(n, 'l'),
  });
  // The last waits are started by earlier ones.
  const took: number[] = [];
  for (let n = 0; n < warmUp; n += 1) await answered[n];
  for (let n = warmUp; n < mails; n += 1)
    took.push(((await answered[n]) ?? NaN) - (accepted[n] ?? NaN));
  const { text, values } = spread(took);
  return {
    work: `250 to answer, ${open} waits open, ${PER_SECOND} mails/s, ${mails - warmUp} mails`,
    result: text,
    values,
  };
}

interface Range {
  least: number;
  most: number;
}

/** The memory of an idle process until it has collected its garbage, in MiB. */
async function rangeOf(measure: () => Promise<number>): Promise<Range> {
  const end = performance.now() + COLLECTED_WITHIN_MS;
  const measured: number[] = [];
  while (performance.now() < end) {
    await delay(MEMORY_POLL_MS);
    measured.push(await measure());
  }
  return { least: Math.min(...measured), most: Math.max(...measured) };
}

async function manyFigures(bench: Waits, count: number): Promise<Figure[]> {
  const web = async () => (await memoryOf(bench.target.product)).byProcess.get('web') ?? NaN;
  const before = await rangeOf(web);
  const began = sharedNow();
  const waits = Array.from({ length: count }, (_, n) => bench.wait(n, 'm'));
  await bench.opened(count);
  const after = await rangeOf(web);
  const mib = after.least - before.least;
  const most = after.most - before.least;
  const accepted = await sendPaced({
    ...{ port: bench.target.smtpPort, mails: count, perSecond: FAST_PER_SECOND },
    mail: (n) => bench.mail(n, 'm'),
  });
  const settled = await Promise.allSettled(waits);
  const answered = settled.filter(({ status }) => status === 'fulfilled').length;
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed) process.stderr.write(`a wait failed: ${String(failed.reason)}\n`);
  const sentIn = (Math.max(...accepted) - Math.min(...accepted)) / 1000;
  const seconds = (sharedNow() - began) / 1000;
  return [
    {
      work: `${count} waits open`,
      result: `${mib.toFixed(0)} MiB more than before, ${most.toFixed(0)} before garbage is collected`,
      values: { mib, most },
    },
    {
      work: `${count} waits answered by ${count} mails at ${(count / sentIn).toFixed(0)} mails/s`,
      result: `${count - answered} missed, all in ${seconds.toFixed(0)} s`,
      values: { missed: count - answered },
    },
  ];
}
