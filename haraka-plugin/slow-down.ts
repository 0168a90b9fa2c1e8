/** Makes guessing addresses slow: RCPT answers "no such mailbox", and so tells a guesser which exist. */
import { setTimeout as delay } from 'node:timers/promises';

const UNKNOWN_ALLOWED = 20;
const DELAY_MS = 1000;

export function countUnknownRecipient(connection: Haraka.Connection): void {
  connection.notes.unknownRecipients = (connection.notes.unknownRecipients ?? 0) + 1;
}

/** Waits before an answer on a connection that has named too many unknown recipients. */
export async function slowDown(connection: Haraka.Connection): Promise<void> {
  if ((connection.notes.unknownRecipients ?? 0) <= UNKNOWN_ALLOWED) return;
  await delay(DELAY_MS);
}
