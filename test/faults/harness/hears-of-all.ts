import { eventually } from '../../support/mocha/eventually.js';
import { followEvents } from '../../support/clients/event-stream.js';
import type { Situation } from './fault.js';
import { shownIn } from './shown.js';

const HEARD_WITHIN_MS = 30_000;

/**
 * Who follows the events at one web process hears of all mail that was accepted meanwhile, whichever process took,
 * sent or stored it. Mail without an answer may go untold: its process may have died between commit and event.
 * @param web the place of that process among the bench's web processes; it must not be killed meanwhile.
 */
export async function hearsOfAll(
  { bench, mailboxes, ledger }: Situation,
  web: number,
  during: () => Promise<void>,
): Promise<void> {
  const client = await followEvents(`${bench.webUrls()[web] ?? ''}/api/events`, {
    Authorization: `Bearer ${bench.token}`,
  });
  const shown = async () =>
    (await Promise.all(mailboxes.map((name) => shownIn(bench.api, name)))).flat();
  const before = new Set((await shown()).map(({ id }) => id));
  await during();
  const after = await shown();
  const accepted = new Set(
    ledger.mails.filter(({ outcome }) => outcome === 'accepted').map(({ marker }) => marker),
  );
  const owed = after.filter(({ id, subject }) => !before.has(id) && accepted.has(subject));
  const heard = () =>
    new Set(client.told.map(({ data }) => (data as { messageId?: string }).messageId));
  try {
    await eventually(
      `the events of ${owed.length} messages`,
      () => owed.every(({ id }) => heard().has(id)),
      HEARD_WITHIN_MS,
    );
  } finally {
    client.hangUp();
  }
}
