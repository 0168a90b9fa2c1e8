/** The tags of messages as other mail catchers have them: of the address and of the header. */
import { type MessageRow, messageTagsPage } from '../../db/statements/messages.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Context } from '../context.ts';
import { NEWEST } from './cursor.ts';

const MESSAGES_AT_ONCE = 500;
/** Messages of a mailbox whose tags are listed. */
const MAX_MESSAGES = 10_000;

/** The tag of the recipient and those of the field X-Tags: sorted, once without regard to case. */
export function tagsOf({ tag, facts }: Pick<MessageRow, 'tag' | 'facts'>): string[] {
  const tags = [...(tag === null ? [] : [tag]), ...(facts?.tags ?? [])];
  return distinctTags(tags);
}

/** Without those that differ in case only, in the order of their characters. */
export function distinctTags(tags: Iterable<string>): string[] {
  const first = new Map<string, string>();
  for (const tag of tags) {
    const key = tag.toLowerCase();
    if (!first.has(key)) first.set(key, tag);
  }
  return [...first.values()].sort();
}

/** The tags of the newest {@link MAX_MESSAGES} messages of a mailbox. */
export async function tagsOfMailbox(
  { store, now }: Pick<Context, 'store' | 'now'>,
  mailbox: MailboxRow,
): Promise<string[]> {
  const tags = new Set<string>();
  const time = new Date(now());
  let before = NEWEST;
  for (let read = 0; read < MAX_MESSAGES; read += MESSAGES_AT_ONCE) {
    const { receivedAt, id } = before;
    const place = { mailboxId: mailbox.id, now: time, receivedAt, id, limit: MESSAGES_AT_ONCE };
    const rows = await store.execute(messageTagsPage, place);
    for (const row of rows) for (const tag of tagsOf(row)) tags.add(tag);
    const last = rows.at(-1);
    if (!last || rows.length < MESSAGES_AT_ONCE) break;
    before = last;
  }
  return distinctTags(tags);
}
