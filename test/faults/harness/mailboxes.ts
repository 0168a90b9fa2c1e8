/** The mailboxes of a fault, and the messages that the API shows in them. */
import type { Api } from '../../support/clients/rest-client.ts';
import type { Bench } from './bench.ts';

/** The fields of a listed message that the oracle reads. */
export interface Shown {
  id: string;
  mailbox: string;
  tag: string | null;
  subject: string;
}

interface Page {
  messages: { id: string; subject: string; tag?: string }[];
  nextCursor: string | null;
}

/** Every message of a mailbox, page by page; empty if the mailbox does not exist. */
export async function shownIn(api: Api, mailbox: string): Promise<Shown[]> {
  const shown: Shown[] = [];
  let after: string | null = '';
  while (after !== null) {
    const path = `/mailboxes/${mailbox}/messages?limit=100${after ? `&after=${after}` : ''}`;
    const { status, body } = await api.patiently({ path });
    if (status === 404) return [];
    const page = JSON.parse(body.toString()) as Page;
    shown.push(
      ...page.messages.map(({ id, subject, tag = null }) => ({ id, mailbox, tag, subject })),
    );
    after = page.nextCursor;
  }
  return shown;
}

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

/**
 * Reads messages of these mailboxes repeatedly while `during` runs.
 * @throws if a response is neither the message nor 404.
 */
export async function readAcross(
  api: Api,
  mailboxes: string[],
  during: () => Promise<unknown>,
): Promise<void> {
  const shown = (await Promise.all(mailboxes.map((name) => shownIn(api, name)))).flat();
  let over = false;
  const reader = async (path: (message: (typeof shown)[number]) => string) => {
    for (let n = 0; !over; n += 1) {
      const { status } = await api.once({ path: path(shown[n % shown.length]!) });
      if (status !== 200 && status !== 404) throw new Error(`a reader was answered with ${status}`);
    }
  };
  const readers = [
    reader(({ mailbox, id }) => `/mailboxes/${mailbox}/messages/${id}`),
    reader(({ mailbox, id }) => `/mailboxes/${mailbox}/messages/${id}/raw`),
  ];
  try {
    await during();
  } finally {
    over = true;
  }
  await Promise.all(readers);
}
