/**
 * The load on a product during a fault: SMTP clients, and API clients of which one sends and
 * retries with its Idempotency-Key until it gets a response, and one reads.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../../support/clients/rest-client.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import type { Bench } from './bench.ts';
import type { Ledger, SentMail } from './ledger.ts';
import { sendMails } from './smtp-load.ts';

const RECOVERY_MS = 90_000;
const POLL_MS = 50;
const REPEAT_MS = 200;
/** After a crash a request can be repeated after 15 s. */
const GIVE_UP_MS = 90_000;

export interface Shape {
  connections: number;
  pauseMs: number;
  largeEvery: number;
  /** Mails that must be accepted before a fault, and again after it. */
  around: number;
}

export interface Load {
  /** Resolves when `more` further mails have been accepted. */
  accepted: (more: number) => Promise<void>;
  /**
   * Starts no further requests. {@link answered} resolves when all sends over the API are complete.
   */
  stop: () => Promise<void>;
  answered: Promise<unknown>;
}

export function startLoad(bench: Bench, mailboxes: string[], ledger: Ledger, shape: Shape): Load {
  let over = false;
  const isOver = () => over;
  const { domain } = bench.product();
  const smtp = { ...shape, port: bench.smtpPort, domain, mailboxes };
  const api = { api: bench.api, domain, mailboxes, pauseMs: shape.pauseMs };
  const senders = Array.from({ length: shape.connections }, () => sendMails(smtp, ledger, isOver));
  const reading = readOverApi(api, ledger, isOver);
  const answered = sendOverApi(api, ledger, isOver);
  return {
    accepted: async (more) => {
      const enough = ledger.count('accepted') + more;
      await eventually(
        `${more} more mails to be accepted`,
        () => ledger.count('accepted') >= enough,
        RECOVERY_MS,
        POLL_MS,
      );
    },
    stop: async () => {
      over = true;
      await Promise.all([...senders, reading]);
    },
    answered,
  };
}

interface ApiLoad {
  api: Api;
  domain: string;
  mailboxes: string[];
  pauseMs: number;
}

/** Sends until `isOver`; resolves after the last response. */
async function sendOverApi(load: ApiLoad, ledger: Ledger, isOver: () => boolean): Promise<void> {
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
async function readOverApi(
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
