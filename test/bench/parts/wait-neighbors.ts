/**
 * Many waits and claims of one workspace: whether each of them gets its answer, and what they cost
 * the requests of others.
 */
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { askJson } from '../../load/http.ts';
import { fillToClaim } from '../../load/mailboxes.ts';
import { openSession, sendLoad, sharedNow } from '../../load/smtp.ts';
import { type Figure, spread } from '../figures.ts';
import { besideHealth } from '../health.ts';
import { settings } from '../settings.ts';
import { type Target, createOtherWorkspace, onProduct } from '../target.ts';

const BOX = '/api/mailboxes/busy/messages';
const CONNECTIONS = 20;
const EVERY_MS = 50;
const POLL_MS = 100;
const UNLIMITED = { RATE_LIMIT_PRO: '0', RATE_LIMIT_FREE: '0', LOG_REQUESTS: 'false' };

interface WaitAnswer {
  outcome: string;
  settled: boolean;
  unmatched: { count: number };
}

type Ask = <Answer = WaitAnswer>(path: string, body?: object) => Promise<Answer>;
type Measure = (target: Target, ask: Ask) => Promise<Omit<Figure, 'work'>>;

const MEASURES: [work: string, measure: Measure][] = [
  ['300 waits for free messages with another subject, 1,000 messages', besideFreeMessages],
  ['a claim without a wait beside one with a text, 20,000 messages', besideTextClaim],
  ['a list and a code of a neighbor beside 1,000 waits and 20,000 mails', besideArrivals],
  ['opening 1,000 waits over 1,000 messages', besideOpening],
  ['a wait for a free message with a text, 150 mails of 1 MiB', inMuchText],
];

export async function waitNeighborFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [work, measure] of MEASURES.filter(([work]) => work.includes(settings.only))) {
    const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
    const figure = await onProduct(
      (target) => measure(target, (path, body) => askJson(target, agent, path, body)),
      UNLIMITED,
    );
    agent.destroy();
    figures.push({ work, ...figure });
  }
  return figures;
}

async function besideFreeMessages(target: Target, ask: Ask): Promise<Omit<Figure, 'work'>> {
  await fillToClaim(target, 'busy', 1000);
  const waits = Promise.all(
    many(300, () => ask(`${BOX}/wait?claimed=false&subject=absent&timeout=20&view=summary`)),
  );
  const woken = ask(`${BOX}/wait?claimed=true&timeout=55&view=summary`).then(() => sharedNow());
  await delay(2000); // by then each wait has read what it reads at once
  const claimed = sharedNow();
  await ask(`${BOX}/claim`, {});
  const ms = (await woken) - claimed;
  const answers = await waits;
  const settled = answers.filter((answer) => answer.settled).length;
  const [least = 0] = answers.map(({ unmatched }) => unmatched.count).sort((a, b) => a - b);
  return {
    result: `${settled} settled, ${least} or more unmatched; a claim wakes another wait in ${ms.toFixed(0)} ms`,
    values: { settled, least, ms },
  };
}

async function besideTextClaim(target: Target, ask: Ask): Promise<Omit<Figure, 'work'>> {
  await fillToClaim(target, 'busy', 20_000);
  const long = ask(`${BOX}/claim`, { match: { text: 'absent' }, timeout: 30 });
  const took: number[] = [];
  const over = new AbortController();
  void long.then(() => {
    over.abort();
  });
  while (!over.signal.aborted) {
    const began = sharedNow();
    await ask(`${BOX}/claim`, { timeout: 0 });
    took.push(sharedNow() - began);
    await delay(POLL_MS);
  }
  const { text, values } = spread(took);
  return { result: `${text} of ${took.length}`, values };
}

async function besideArrivals(target: Target, ask: Ask): Promise<Omit<Figure, 'work'>> {
  await target.rest.createMailbox('busy');
  const other = createOtherWorkspace(target, 'calm.test');
  await fillToClaim({ ...target, ...other }, 'calm', 100);
  const over = new AbortController();
  const waits = many(1000, async (n) => {
    while (!over.signal.aborted) {
      await ask(`${BOX}/wait?subject=absent-${n}&timeout=55&view=summary`);
    }
  });
  const lists: number[] = [];
  const codes: number[] = [];
  const measured = [listsOf(other.rest, lists, over.signal), codesOf(target, other, codes, over)];
  const began = sharedNow();
  await sendLoad({
    ...{ port: target.smtpPort, connections: CONNECTIONS, mails: 20_000, newConnectionEach: false },
    recipient: () => `busy@${target.domain}`,
    body: 'Subject: another\r\n\r\nhello\r\n',
  });
  while ((await target.rest.messageCount('busy')) < 20_000) await delay(POLL_MS);
  const seconds = (sharedNow() - began) / 1000;
  over.abort();
  await Promise.all([...waits, ...measured]);
  const [list, code] = [spread(lists), spread(codes)];
  return {
    result:
      `list ${list.text}, worst ${Math.max(...lists).toFixed(0)}, of ${lists.length}; ` +
      `mail to code ${code.text} of ${codes.length}; all stored in ${seconds.toFixed(0)} s`,
    values: { ...list.values, codeP95: code.values.p95 ?? NaN, seconds },
  };
}

async function listsOf(rest: Target['rest'], took: number[], over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const began = sharedNow();
    await rest.json('GET', '/mailboxes/calm/messages?limit=100');
    took.push(sharedNow() - began);
    await delay(EVERY_MS);
  }
}

async function codesOf(
  { smtpPort }: Target,
  { rest, domain }: Pick<Target, 'rest' | 'domain'>,
  took: number[],
  { signal: over }: AbortController,
): Promise<void> {
  const session = await openSession(smtpPort);
  for (let n = 0; !over.aborted; n += 1) {
    await session.send(`calm@${domain}`, `Subject: now-${n}.\r\n\r\nYour code is 482913.\r\n`);
    const accepted = sharedNow();
    const path = `/mailboxes/calm/messages/wait?subject=now-${n}.&hasCode=true&timeout=55`;
    while ((await rest.json<WaitAnswer>('GET', path)).outcome !== 'matched');
    took.push(sharedNow() - accepted);
    await delay(EVERY_MS * 10);
  }
  await session.quit();
}

async function besideOpening(target: Target, ask: Ask): Promise<Omit<Figure, 'work'>> {
  await fillToClaim(target, 'busy', 1000);
  await ask(`${BOX}/wait?subject=absent&timeout=0`); // the first one compiles its schema
  const { text, values } = await besideHealth(target, () =>
    Promise.all(many(1000, (n) => ask(`${BOX}/wait?subject=absent-${n}&timeout=5&view=summary`))),
  );
  return { result: text, values };
}

async function inMuchText(target: Target, ask: Ask): Promise<Omit<Figure, 'work'>> {
  await target.rest.createMailbox('busy');
  const session = await openSession(target.smtpPort);
  const text = 'word '.repeat(15);
  for (let n = 0; n < 150; n += 1) {
    const body = `${text}\r\n`.repeat(13_600) + (n === 0 ? 'needle\r\n' : '');
    await session.send(`busy@${target.domain}`, `Subject: long\r\n\r\n${body}`);
  }
  await session.quit();
  while ((await target.rest.messageCount('busy')) < 150) await delay(POLL_MS);
  const began = sharedNow();
  const { outcome } = await ask(`${BOX}/wait?text=needle&claimed=false&timeout=30&view=summary`);
  const seconds = (sharedNow() - began) / 1000;
  return { result: `${outcome} after ${seconds.toFixed(1)} s`, values: { seconds } };
}

function many<Result>(count: number, each: (n: number) => Promise<Result>): Promise<Result>[] {
  return Array.from({ length: count }, (_, n) => each(n));
}
