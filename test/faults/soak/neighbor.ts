/** What an innocent neighbor notices: the time of a list, and from 250 until mail is visible. */
import { setTimeout as delay } from 'node:timers/promises';
import { percentile, spread } from '../../bench/figures.ts';
import { smallMail } from '../../load/mails.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import type { Bench } from '../harness/bench.ts';

const MAX_LIST_P95_MS = 100;
const MAX_VISIBLE_P95_MS = 1000;
const PAUSE_MS = 250;
const MAILBOX = '/mailboxes/neighbor';

/** Times in milliseconds. */
export interface Noticed {
  lists: number[];
  visible: number[];
}

/** Lists a mailbox, and sends and awaits a mail, one after the other until `isOver`. */
export async function watchAsNeighbor(
  { api, smtpPort, product }: Bench,
  noticed: Noticed,
  isOver: () => boolean,
): Promise<void> {
  await api.json({ method: 'POST', path: '/mailboxes', body: { name: 'neighbor' } });
  const client = await SmtpClient.open(smtpPort());
  const to = [`neighbor@${product().domain}`];
  for (let n = 1; !isOver(); n += 1) {
    noticed.lists.push(await timed(() => api.json({ path: `${MAILBOX}/messages?limit=10` })));
    const { mark } = await api.json<{ mark: string }>({ path: `${MAILBOX}/mark` });
    const reply = await client.send({
      from: 'load@elsewhere.example',
      to,
      data: smallMail(`neighbor ${n}`),
    });
    if (reply.code !== 250) throw new Error(`a neighbor's mail was answered with ${reply.code}`);
    const wait = `${MAILBOX}/messages/wait?timeout=25&view=summary&mark=${mark}`;
    noticed.visible.push(await timed(() => api.json({ path: wait })));
    if (n % 100 === 0) await api.patiently({ method: 'DELETE', path: `${MAILBOX}/messages` });
    await delay(PAUSE_MS);
  }
  client.drop();
}

/** One line of what was noticed since `from`, an index of each list. */
export function noticedText({ lists, visible }: Noticed, from = 0): string {
  const text = (took: number[]) => (took.length > from ? spread(took.slice(from)).text : 'none');
  return `neighbor: list ${text(lists)}; mail to visible ${text(visible)}`;
}

/** The limits that are exceeded, one sentence each. */
export function tooSlow({ lists, visible }: Noticed): string[] {
  const limits = [
    ['a list', lists, MAX_LIST_P95_MS],
    ['mail to visible', visible, MAX_VISIBLE_P95_MS],
  ] as const;
  return limits.flatMap(([what, took, limit]) => {
    const p95 = percentile(took, 0.95);
    return p95 <= limit ? [] : [`${what}: p95 ${p95.toFixed(0)} ms, more than ${limit} ms`];
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
