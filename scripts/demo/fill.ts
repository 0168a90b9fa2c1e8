/** Fills the workspace of a token with mailboxes, mails, claims and webhooks. */
import { languages } from './languages/all.ts';
import { type Planned, mailboxes, plannedMails } from './mailboxes.ts';
import type { Receivers } from './receivers.ts';
import { DemoError, RefusedError, type Rest, openRest, until } from './rest.ts';
import { type SmtpServer, sendAll } from './send.ts';
import { type Webhooks, firstAttempts, registerWebhooks } from './webhooks.ts';

export interface Target {
  /** `http://HOST:PORT/api` */
  apiUrl: string;
  token: string;
  /** Null for the server that the SMTP credentials name. */
  smtp: SmtpServer | null;
}

export interface Filled {
  domain: string;
  mailboxes: string[];
  languages: number;
  mails: number;
  messages: number;
  /** Messages of mail to other domains. */
  caught: number;
  claims: number;
  webhooks: Webhooks;
}

interface Mailbox {
  name: string;
  address: string;
  messageCount: number;
}

const STORED_WITHIN_MS = 10_000;
const ATTEMPTED_WITHIN_MS = 5_000;
const MAX_WORKSPACE_FILLS = 100;
const CLAIMS = [
  { owner: 'gh-4182-worker-1', limit: 2, expiresIn: 3600 },
  { owner: 'gh-4182-worker-2', limit: 1, expiresIn: 900 },
  { owner: 'manual check', limit: 1, expiresIn: null },
];

/** @throws {DemoError} */
export async function fill(target: Target, receivers: Omit<Receivers, 'close'>): Promise<Filled> {
  const rest = openRest(target.apiUrl, target.token);
  const { created, suffix } = await createMailboxes(rest);
  const domain = created[0]?.address.split('@')[1] ?? '';
  const nameOf = (mailbox: string) => mailbox + suffix;
  const addressOf = (recipient: string) => {
    if (recipient.includes('@')) return recipient;
    const [mailbox = '', tag] = recipient.split('+');
    return `${nameOf(mailbox)}${tag === undefined ? '' : `+${tag}`}@${domain}`;
  };

  const webhooks = await registerWebhooks(rest, receivers, nameOf);
  const planned = plannedMails();
  await sendAll({ rest, smtp: target.smtp, addressOf, nameOf }, planned);
  const counts = expectedCounts(planned);
  await expectStored(rest, new Map([...counts].map(([name, n]) => [nameOf(name), n])));
  const claims = await claim(rest, nameOf('signup'));
  await firstAttempts(rest, webhooks.registered, ATTEMPTED_WITHIN_MS);
  return {
    ...{ domain, claims, webhooks, mailboxes: created.map(({ name }) => name) },
    languages: languages.length,
    mails: planned.length,
    messages: [...counts.values()].reduce((sum, count) => sum + count, 0),
    caught: planned.filter(isCaught).length,
  };
}

/** Another fill of the same workspace gets names with a number. */
async function createMailboxes(rest: Rest): Promise<{ created: Mailbox[]; suffix: string }> {
  for (let n = 1; n <= MAX_WORKSPACE_FILLS; n += 1) {
    const suffix = n === 1 ? '' : `-${n}`;
    const wanted = mailboxes.map((plan) => ({ ...plan, name: plan.name + suffix }));
    try {
      const answer = await rest.post<{ mailboxes: Mailbox[] }>('/mailboxes/batch', {
        mailboxes: wanted,
      });
      return { created: answer.mailboxes, suffix };
    } catch (error) {
      if (!(error instanceof RefusedError && error.status === 409)) throw error;
    }
  }
  throw new DemoError(`The workspace was filled ${MAX_WORKSPACE_FILLS} times. Use another one.`);
}

function expectedCounts(planned: Planned[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of planned) {
    for (const name of mailboxesOf(each)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Names of the mailboxes that store the mail. */
function mailboxesOf(each: Planned): Set<string> {
  const own = recipientsOf(each).filter((recipient) => !recipient.includes('@'));
  const names = new Set(own.map((recipient) => recipient.split('+')[0] ?? ''));
  if (each.application !== null && isCaught(each)) names.add(each.application);
  return names;
}

function isCaught(each: Planned): boolean {
  return recipientsOf(each).some((recipient) => recipient.includes('@'));
}

function recipientsOf({ to, cc = [], bcc = [] }: Planned): string[] {
  return [...to, ...cc, ...bcc];
}

async function expectStored(rest: Rest, counts: Map<string, number>): Promise<void> {
  const isStored = await until(async () => {
    const listed = await rest.get<Mailbox[]>('/mailboxes');
    const stored = new Map(listed.map(({ name, messageCount }) => [name, messageCount]));
    return [...counts].every(([name, count]) => (stored.get(name) ?? 0) >= count);
  }, STORED_WITHIN_MS);
  if (isStored) return;
  throw new DemoError(
    `Mayfly accepted all messages but did not store them within ${STORED_WITHIN_MS / 1000} s. Check its worker.`,
  );
}

/** The number of claimed messages. */
async function claim(rest: Rest, mailbox: string): Promise<number> {
  let count = 0;
  for (const wanted of CLAIMS) {
    const { claims } = await rest.post<{ claims: unknown[] }>(
      `/mailboxes/${mailbox}/messages/claim`,
      { ...wanted, timeout: 0 },
    );
    count += claims.length;
  }
  return count;
}
