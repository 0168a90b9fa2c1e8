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
  // While a hook waits, Haraka may look at pipelined input over and over in a busy loop: put it aside.
  const input = connection.current_data;
  connection.current_data = null;
  connection.client.pause();
  await delay(DELAY_MS);
  connection.current_data = input;
  connection.client.resume();
}
