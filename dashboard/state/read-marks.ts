/** Messages read in this browser, kept until they expire. The server stores no read state. */
import { computed, effect } from '@preact/signals';
import { listMessages } from '../rest/messages.ts';
import type { Mailbox } from '../rest/shapes.ts';
import { coarseNow } from './clock.ts';
import { clears, deleted } from './hidden-messages.ts';
import { inbox } from './inbox.ts';
import { mailboxes } from './mailboxes.ts';
import { stored } from './stored.ts';

interface Mark {
  /** Id of the mailbox. */
  mailbox: string;
  /** When the message expires, in ms since 1970. */
  until: number;
}

type Marks = Record<string, Mark>;

/** Marks by message id. Marks in the format of earlier versions are dropped. */
export const readState = stored<Marks>('mayfly.read', {}, isMarks);

export function isUnread(id: string): boolean {
  return !(id in readState.value);
}

/** Marks messages of a mailbox as read. */
export function markRead(
  mailbox: string,
  messages: readonly { id: string; expiresAt: string }[],
): void {
  const fresh = messages.filter(({ id }) => !(id in readState.peek()));
  if (fresh.length === 0) return;
  const now = Date.now();
  const current = Object.entries(readState.peek()).filter(([, { until }]) => until > now);
  const added = fresh.map(({ id, expiresAt }): [string, Mark] => [
    id,
    { mailbox, until: Date.parse(expiresAt) },
  ]);
  readState.value = Object.fromEntries([...current, ...added]);
}

/**
 * Marks all messages of a mailbox as read, page by page.
 * @param mailbox id of the mailbox
 * @throws {ApiError} after a failed page; the pages before it are marked.
 */
export async function markAllRead(mailbox: string, name: string): Promise<void> {
  let after: string | undefined;
  do {
    const { messages, nextCursor } = await listMessages({ name, to: null, query: '' }, after);
    markRead(mailbox, messages);
    after = nextCursor ?? undefined;
  } while (after !== undefined);
}

export function markUnread(id: string): void {
  forgetReadState(new Set([id]));
}

/** Removes the marks of messages. */
export function forgetReadState(ids: ReadonlySet<string>): void {
  const marks = Object.entries(readState.peek());
  const kept = marks.filter(([id]) => !ids.has(id));
  if (kept.length < marks.length) readState.value = Object.fromEntries(kept);
}

/** Ids of the messages marked as read, by mailbox id, in the order in which they expire. */
const readIds = computed(() => {
  const byMailbox = new Map<string, string[]>();
  const marks = Object.entries(readState.value).sort(
    ([, one], [, other]) => one.until - other.until,
  );
  for (const [id, { mailbox, until }] of marks) {
    if (until <= coarseNow.value || deleted.value.has(id)) continue;
    const ids = byMailbox.get(mailbox);
    if (ids) ids.push(id);
    else byMailbox.set(mailbox, [id]);
  }
  return byMailbox;
});

/** The messages of a mailbox without those that this browser has marked as read. */
export function unreadCount({ id, name, messageCount }: Mailbox): number {
  // While a mailbox is being cleared, its marks are those of hidden messages.
  const read = clears.value.has(name) ? 0 : readIdsOf(id).length;
  return Math.max(0, messageCount - read);
}

/** Ids of the messages of a mailbox that are marked as read. */
export function readIdsOf(mailboxId: string): readonly string[] {
  return readIds.value.get(mailboxId) ?? [];
}

/** A mailbox with fewer messages than marks: its oldest messages were deleted by another client. */
effect(() => {
  for (const { id, name, messageCount } of mailboxes.value ?? []) {
    const ids = clears.value.has(name) ? [] : readIdsOf(id);
    if (ids.length > messageCount)
      forgetReadState(new Set(ids.slice(0, ids.length - messageCount)));
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
  if (gone.length > 0) forgetReadState(new Set(gone));
});

function isMarks(value: unknown): value is Marks {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((mark) => typeof mark === 'object');
}
