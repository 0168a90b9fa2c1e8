import type { Api } from './api.ts';
import { shownIn } from './shown.ts';

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
