/** Mailboxes for load, and the mail that is visible in them. */
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { RestClient } from '../support/clients/rest-client.ts';
import { sendLoad } from './smtp.ts';

const AT_ONCE = 16;

/**
 * Creates the mailboxes through the API, a few concurrently; resolves to their ids in the order of
 * the names.
 */
export function createMailboxes(rest: RestClient, names: string[]): Promise<string[]> {
  const limit = pLimit(AT_ONCE);
  return Promise.all(names.map((name) => limit(async () => (await rest.createMailbox(name)).id)));
}

/**
 * Resolves once the mailboxes, which receive the mails in turn, show that many. They are polled one
 * at a time, because polling takes CPU time from the worker.
 */
export async function allVisible(rest: RestClient, names: string[], mails: number): Promise<void> {
  for (const [n, name] of names.entries()) {
    const wanted = Math.floor((mails + names.length - 1 - n) / names.length);
    while ((await rest.messageCount(name)) < wanted) await delay(20);
  }
}

/** Creates a mailbox and sends it so many mails. Resolves when all of them are visible. */
export async function fillToClaim(
  { rest, smtpPort, domain }: { rest: RestClient; smtpPort: number; domain: string },
  name: string,
  mails: number,
): Promise<void> {
  await rest.createMailbox(name);
  await sendLoad({
    ...{ port: smtpPort, connections: 20, mails, newConnectionEach: false },
    recipient: () => `${name}@${domain}`,
    body: 'Subject: code\r\n\r\nYour code is 482913.\r\n',
  });
  await allVisible(rest, [name], mails);
}
