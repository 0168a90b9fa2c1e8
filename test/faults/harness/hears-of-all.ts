import { eventually } from '../../support/mocha/eventually.ts';
import { followEvents } from '../../support/clients/event-stream.ts';
import type { Situation } from './fault.ts';
import { shownIn } from './mailboxes.ts';

const HEARD_WITHIN_MS = 30_000;

/**
 * Checks that the events of one web process include all mail accepted meanwhile, regardless of the
 * process that accepted, sent or stored it. Mail without a reply is excluded: its process can crash
 * between commit and event.
 * @param web index of that process among the web processes of the bench; it must not be killed
 *   meanwhile.
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
