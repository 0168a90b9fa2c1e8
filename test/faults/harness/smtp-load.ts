/**
 * SMTP clients that send one mail after the other, reconnect after errors, and record each reply.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { SmtpClient } from '../../support/clients/smtp-client.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import type { Bench } from './bench.ts';
import type { Ledger, Target } from './ledger.ts';
import { digest, largeMail, smallMail } from '../../load/mails.ts';

const TAGS = [null, 'tag', 'Other.Tag'];
const RECONNECT_MS = 50;

export interface SmtpLoad {
  port: () => number;
  domain: string;
  mailboxes: string[];
  /** Between two mails of one connection. */
  pauseMs: number;
  /** Every n-th mail is larger than 1 MiB. */
  largeEvery: number;
}

/** One client; drops its connection and resolves once `isOver` returns true. */
export async function sendMails(
  load: SmtpLoad,
  ledger: Ledger,
  isOver: () => boolean,
): Promise<void> {
  let client: SmtpClient | null = null;
  for (let n = 1; !isOver(); n += 1) {
    try {
      client ??= await SmtpClient.open(load.port());
    } catch {
      ledger.refuse('no connection');
      await delay(RECONNECT_MS);
      continue;
    }
    const code = await sendMail(client, load, ledger, n % load.largeEvery === 0);
    if (code === null || code === 421) {
      client.drop();
      client = null;
    }
    await delay(load.pauseMs);
  }
  client?.drop();
}

/** Sends one mail to some of the mailboxes. Returns the reply code, or null without a reply. */
export async function sendMail(
  client: SmtpClient,
  { domain, mailboxes }: Pick<SmtpLoad, 'domain' | 'mailboxes'>,
  ledger: Ledger,
  large = false,
): Promise<number | null> {
  const marker = ledger.nextMarker();
  const data = large ? largeMail(marker) : smallMail(marker);
  const recipients = someOf(mailboxes.filter((name) => !ledger.deletedMailboxes.has(name)));
  const mail = {
    marker,
    targets: distinct(recipients),
    digest: digest(data),
    outcome: 'unknown' as 'unknown' | 'accepted' | 'refused',
  };
  ledger.add(mail);
  const to = recipients.map(({ mailbox, tag }) => `${mailbox}${tag ? `+${tag}` : ''}@${domain}`);
  try {
    const reply = await client.send({ from: 'load@elsewhere.example', to, data });
    mail.outcome = reply.code === 250 ? 'accepted' : 'refused';
    if (reply.code !== 250) ledger.refuse(`${reply.code}`);
    return reply.code;
  } catch {
    ledger.refuse('connection lost');
    return null;
  }
}

/** One to four recipients, which can repeat. */
function someOf(mailboxes: string[]): Target[] {
  return Array.from({ length: 1 + Math.floor(Math.random() * 4) }, () => ({
    mailbox: anyOf(mailboxes),
    tag: anyOf(TAGS),
  }));
}

function distinct(targets: Target[]): Target[] {
  return [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()];
}

function anyOf<Item>(items: Item[]): Item {
  return items[Math.floor(Math.random() * items.length)]!;
}

/** Resolves when the reply to a mail is 451 or 452. */
export async function mailIsPutOff(
  { bench, ledger, mailboxes }: { bench: Bench; ledger: Ledger; mailboxes: string[] },
  large = false,
): Promise<void> {
  await eventually(
    'mail to be put off',
    async () => {
      const client = await SmtpClient.open(bench.smtpPort()).catch(() => null);
      if (!client) return false;
      const code = await sendMail(
        client,
        { domain: bench.product().domain, mailboxes },
        ledger,
        large,
      );
      client.drop();
      return code === 451 || code === 452;
    },
    60_000,
  );
}
