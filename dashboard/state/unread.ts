/**
 * Unread messages of each mailbox: its messages without those that this browser has marked as read.
 */
import { computed, effect } from '@preact/signals';
import type { Mailbox } from '../rest/shapes.ts';
import { coarseNow } from './clock.ts';
import { inbox } from './inbox.ts';
import { mailboxes } from './mailboxes.ts';
import { isClearing } from './pending-clears.ts';
import { pendingDeletes } from './pending-deletes.ts';
import { forgetMarks, readMarks } from './read-marks.ts';

/** Ids of the messages marked as read, by mailbox id, in the order in which they expire. */
const readIds = computed(() => {
  const byMailbox = new Map<string, string[]>();
  const marks = Object.entries(readMarks.value).sort(
    ([, one], [, other]) => one.until - other.until,
  );
  for (const [id, { mailbox, until }] of marks) {
    if (until <= coarseNow.value || pendingDeletes.value.has(id)) continue;
    const ids = byMailbox.get(mailbox);
    if (ids) ids.push(id);
    else byMailbox.set(mailbox, [id]);
  }
  return byMailbox;
});

export function unreadCount({ id, name, messageCount }: Mailbox): number {
  // While a mailbox is being cleared, its marks are those of hidden messages.
  const read = isClearing(name) ? 0 : readIdsOf(id).length;
  return Math.max(0, messageCount - read);
}

/** Ids of the messages of a mailbox that are marked as read. */
export function readIdsOf(mailboxId: string): readonly string[] {
  return readIds.value.get(mailboxId) ?? [];
}

/** A mailbox with fewer messages than marks: its oldest messages were deleted by another client. */
effect(() => {
  for (const { id, name, messageCount } of mailboxes.value ?? []) {
    const ids = isClearing(name) ? [] : readIdsOf(id);
    if (ids.length > messageCount) forgetMarks(new Set(ids.slice(0, ids.length - messageCount)));
  }
});

/** Once all messages of a mailbox are loaded, marks of others are those of deleted messages. */
effect(() => {
  const loaded = inbox.value;
  if (!loaded || loaded.nextCursor !== null) return;
  const { listed } = loaded;
  if (listed.name === null || listed.to !== null || listed.query !== '') return;
  const mailbox = mailboxes.value?.find(({ name }) => name === listed.name);
  const ids = new Set(loaded.messages.map(({ id }) => id));
  const gone = readIdsOf(mailbox?.id ?? '').filter((id) => !ids.has(id));
  if (gone.length > 0) forgetMarks(new Set(gone));
});
