import type { Api } from './api.ts';

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
