import type { Bench } from '../bench.ts';
import { shownIn } from '../shown.ts';

/** Creates these mailboxes, each with a webhook to the receiver of the bench. */
export async function openMailboxes(
  { api, owed }: Pick<Bench, 'api' | 'owed'>,
  names: string[],
): Promise<void> {
  for (const name of names) {
    const answer = await api.patiently({ method: 'POST', path: '/mailboxes', body: { name } });
    // 409: an earlier attempt, whose response was lost, has created it.
    if (answer.status !== 201 && answer.status !== 409) {
      throw new Error(`${name} was not created: ${answer.status}`);
    }
    const url = `${owed.url}/${name}`;
    await api.json({ method: 'POST', path: `/mailboxes/${name}/webhooks`, body: { url } });
  }
}

/** Deletes every message of these mailboxes, one by one, then the mailboxes. */
export async function clearMailboxes({ api, owed }: Bench, names: string[]): Promise<void> {
  for (const name of names) {
    for (const { id } of await shownIn(api, name)) {
      await api.patiently({ method: 'DELETE', path: `/mailboxes/${name}/messages/${id}` });
      owed.told.delete(id);
    }
    await api.patiently({ method: 'DELETE', path: `/mailboxes/${name}` });
  }
}
