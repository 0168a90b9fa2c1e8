/**
 * From SMTP to visible in the API: rates and costs under load, latencies without load, and memory
 * before and after.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { attachmentMail, benchMail, programMail } from '../../load/mails.ts';
import { allVisible, createMailboxes } from '../../load/mailboxes.ts';
import { cpuAMail, openAccounts, showCpu } from '../accounting/usage.ts';
import { type Figure, median, percentile } from '../figures.ts';
import { type Load, openSession, sendLoad } from '../../load/smtp.ts';
import { settings } from '../settings.ts';
import { type Target, createOtherWorkspace, onProduct } from '../target.ts';
import { floorFigures } from './floor.ts';
import { type Memory, memoryOf, showMemory } from './memory.ts';

const MAILBOXES = 20;
const RUNS = 3;
const SETTLED_MS = 3000;
/** The processes return memory after 15 to 30 s without work. */
const IDLE_MS = 45_000;
const TO_ANSWER = 'final dot to 250, one at a time';
const TO_VISIBLE = '250 to visible in the API, one at a time';
const MEMORY = ['idle', 'after the mails', '45 s later'].map((when) => `memory (PSS), ${when}`);

type Workspace = Pick<Target, 'rest' | 'domain'>;
type IntakeLoad = Omit<Load, 'port' | 'recipient' | 'login'>;

/** Intake on a product that has warmed up. `--only` selects figures by their description. */
export function intakeFigures(): Promise<Figure[]> {
  const kb2 = { body: benchMail(2048), connections: 20 };
  const kept = { ...kb2, newConnectionEach: false };
  const ownEach = { ...kb2, newConnectionEach: true };
  const kb20 = { ...ownEach, body: programMail(20 * 1024) };
  const mb5 = { ...ownEach, body: attachmentMail(5 * 1024 * 1024), connections: 4 };
  return onProduct(async (target) => {
    const rate = (work: string, load: IntakeLoad, workspaces?: Workspace[]) =>
      isWanted(work) ? intakeRate(target, work, load, workspaces) : Promise.resolve([]);
    await delay(SETTLED_MS);
    const idle = await memoryOf(target.product);
    await intakeRate(target, 'warm-up', { ...kept, mails: 1000 });
    const two = [target, createOtherWorkspace(target, 'second.test')];
    const figures = [
      ...(await rate('2 KB, 20 kept connections, two workspaces', { ...kept, mails: 5000 }, two)),
      ...(await rate('2 KB, 20 kept connections', { ...kept, mails: 5000 })),
      ...(await rate('2 KB, a connection each', { ...ownEach, mails: 3000 })),
      ...(await rate('20 KB with HTML and a picture, a connection each', { ...kb20, mails: 1500 })),
    ];
    const memory = isWanted(...MEMORY) ? await memoryFigures(target, idle) : [];
    return [
      ...figures,
      ...(await rate('5 MB attachment, a connection each', { ...mb5, mails: 30 })),
      ...(isWanted(TO_ANSWER, TO_VISIBLE) ? await intakeLatency(target) : []),
      ...memory,
      ...(settings.floor ? await floorFigures({ kept, ownEach }) : []),
    ];
  });
}

function isWanted(...works: string[]): boolean {
  return works.some((work) => work.includes(settings.only));
}

async function memoryFigures({ product }: Target, idle: Memory): Promise<Figure[]> {
  const after = await memoryOf(product);
  await delay(IDLE_MS);
  const later = await memoryOf(product);
  return [idle, after, later].map((memory, n) => ({
    work: MEMORY[n] ?? '',
    result: showMemory(memory),
  }));
}

/**
 * Mails per second from the first byte until the last one is visible, the median of three runs; and
 * what a mail of all runs cost until then. The workspaces, by default that of the target, receive
 * mail in turn.
 */
export async function intakeRate(
  target: Target,
  work: string,
  load: IntakeLoad,
  workspaces: Workspace[] = [target],
): Promise<Figure[]> {
  const { smtpPort, product } = target;
  const accounts = openAccounts(product);
  const before = await accounts.read();
  const rates: { accepted: number; visible: number }[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const names = Array.from({ length: MAILBOXES }, (_, n) => `load-${Date.now()}-${n}`);
    for (const { rest } of workspaces) await createMailboxes(rest, names);
    const start = performance.now();
    await sendLoad({
      ...load,
      port: smtpPort,
      recipient(n) {
        const name = names[Math.floor(n / workspaces.length) % MAILBOXES] ?? '';
        return `${name}@${workspaces[n % workspaces.length]?.domain ?? ''}`;
      },
    });
    const accepted = performance.now();
    for (const { rest } of workspaces) {
      await allVisible(rest, names, load.mails / workspaces.length);
    }
    const visible = performance.now();
    rates.push({
      accepted: (load.mails * 1000) / (accepted - start),
      visible: (load.mails * 1000) / (visible - start),
    });
  }
  const visible = median(rates.map((rate) => rate.visible));
  const accepted = median(rates.map((rate) => rate.accepted));
  const after = await accounts.read();
  accounts.close();
  const mails = RUNS * load.mails;
  const cpu = cpuAMail(before, after, mails);
  const commands = (after.redis.commands - before.redis.commands) / mails;
  const reads = (after.redis.reads - before.redis.reads) / mails;
  const written = (after.writtenBytes - before.writtenBytes) / mails;
  return [
    {
      work,
      result: `${visible.toFixed(0)} visible/s (${accepted.toFixed(0)} accepted/s)`,
      values: { perSecond: visible, accepted },
    },
    { work: '  CPU a mail', result: showCpu(cpu), values: cpu },
    {
      work: '  Redis and disk a mail',
      result: `${commands.toFixed(1)} commands, ${reads.toFixed(1)} reads, ${(written / 1024).toFixed(1)} KiB written`,
      values: { commands, reads, written },
    },
  ];
}

/** One mail after the other on one connection: final dot to 250, and 250 to visible. */
export async function intakeLatency(
  { smtpPort, domain, rest }: Target,
  mails = 100,
): Promise<Figure[]> {
  const name = `latency-${Date.now()}`;
  await rest.createMailbox(name);
  const session = await openSession(smtpPort);
  const toAnswer: number[] = [];
  const toVisible: number[] = [];
  for (let n = 1; n <= mails; n += 1) {
    toAnswer.push(await session.send(`${name}@${domain}`, benchMail(2048)));
    const answered = performance.now();
    while ((await rest.messageCount(name)) < n) await delay(1);
    toVisible.push(performance.now() - answered);
  }
  await session.quit();
  const show = (values: number[]) =>
    `p50 ${median(values).toFixed(1)} ms, p95 ${percentile(values, 0.95).toFixed(1)} ms`;
  return [
    { work: TO_ANSWER, result: show(toAnswer) },
    { work: TO_VISIBLE, result: show(toVisible) },
  ];
}
