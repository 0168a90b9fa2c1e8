/** Makes guessing addresses slow: RCPT answers "no such mailbox", and so tells a guesser which exist. */
import { setTimeout as delay } from 'node:timers/promises';

const DELAY_MS = 1000;

export function countUnknownRecipient(connection: Haraka.Connection): void {
  connection.notes.unknownRecipients = (connection.notes.unknownRecipients ?? 0) + 1;
}

/** Waits before an answer on a connection that has named more unknown recipients than allowed; 0 allows any number. */
export async function slowDown(connection: Haraka.Connection, allowed: number): Promise<void> {
  if (allowed === 0 || (connection.notes.unknownRecipients ?? 0) <= allowed) return;
  await delay(DELAY_MS);
}
