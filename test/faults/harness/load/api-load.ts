/**
 * API clients: one sends and retries with its Idempotency-Key until it gets a response, one reads.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../api.ts';
import type { Ledger, SentMail } from '../ledger.ts';

const REPEAT_MS = 200;
/** After a crash a request can be repeated after 15 s. */
const GIVE_UP_MS = 90_000;

export interface ApiLoad {
  api: Api;
  domain: string;
  mailboxes: string[];
  pauseMs: number;
}

/** Sends until `isOver`; resolves after the last response. */
export async function sendOverApi(
  load: ApiLoad,
  ledger: Ledger,
  isOver: () => boolean,
): Promise<void> {
  const pending: Promise<void>[] = [];
  while (!isOver()) {
    pending.push(sendOne(load, ledger));
    await Promise.race([pending.at(-1), delay(1000)]);
    await delay(load.pauseMs);
  }
  await Promise.all(pending);
}

async function sendOne({ api, domain, mailboxes }: ApiLoad, ledger: Ledger): Promise<void> {
  const [from = '', to = '', cc = ''] = mailboxes;
  const marker = ledger.nextMarker();
  const mail: SentMail = {
    marker,
    targets: [
      { mailbox: to, tag: 'sent' },
      { mailbox: cc, tag: null },
    ],
    digest: null,
    outcome: 'unknown',
  };
  ledger.add(mail);
  const request = {
    method: 'POST' as const,
    path: `/mailboxes/${from}/messages`,
    body: { to: [`${to}+sent@${domain}`], cc: [`${cc}@${domain}`], subject: marker, text: marker },
    idempotencyKey: randomUUID(),
  };
  const giveUpAt = Date.now() + GIVE_UP_MS;
  while (Date.now() < giveUpAt) {
    const answer = await api.once(request).catch(() => null);
    if (answer?.status === 201) {
      mail.outcome = 'accepted';
      return;
    }
    ledger.refuse(`API ${answer?.status ?? 'connection lost'}`);
    const isFinal = answer !== null && answer.status < 500 && answer.status !== 409;
    if (isFinal) {
      mail.outcome = 'refused';
      return;
    }
    await delay(REPEAT_MS);
  }
}

/** Reads pages until `isOver`, and records failed requests. */
export async function readOverApi(
  { api, mailboxes, pauseMs }: ApiLoad,
  ledger: Ledger,
  isOver: () => boolean,
): Promise<void> {
  for (let n = 0; !isOver(); n += 1) {
    const path = `/mailboxes/${mailboxes[n % mailboxes.length] ?? ''}/messages?limit=5`;
    const answer = await api.once({ path }).catch(() => null);
    if (answer?.status !== 200) ledger.refuse(`API read ${answer?.status ?? 'connection lost'}`);
    await delay(pauseMs);
  }
}
