/** The messages of the list in view, newest first, as far as they are loaded. */
import { computed, signal } from '@preact/signals';
import { type ApiError, toApiError } from '../rest/api-error.ts';
import { type Listed, listMessages } from '../rest/messages.ts';
import { coalesce, refreshGap } from '../rest/rate-limit.ts';
import type { Message } from '../rest/shapes.ts';
import { now } from './clock.ts';
import { deleted, isCleared } from './hidden-messages.ts';
import { whenListening } from './stream-ready.ts';
import { changeCount } from './mailboxes.ts';

export interface Inbox {
  listed: Listed;
  messages: Message[];
  nextCursor: string | null;
  /** False if a search ended before it had searched all messages. */
  isComplete: boolean;
  /** Ids of messages that arrived while the list was in view. */
  arrived: ReadonlySet<string>;
}

/** Null until the first page is loaded. */
export const inbox = signal<Inbox | null>(null);
export const inboxFailure = signal<ApiError | null>(null);
export const isLoadingMore = signal(false);
/** The envelope recipient whose messages are shown; null for all. */
export const recipient = signal<string | null>(null);
/** The query that the shown messages match; empty for all. */
export const query = signal('');

/** Called with newly arrived messages. */
let onArrival: (messages: Message[]) => void = () => undefined;
/** The mailbox of the list, null for all mailboxes, undefined without a list. */
let shown: string | null | undefined;

export const messages = computed(() =>
  (inbox.value?.messages ?? []).filter(
    (message) =>
      !deleted.value.has(message.id) &&
      !isCleared(mailboxOf(message), message.receivedAt) &&
      Date.parse(message.expiresAt) > now.value,
  ),
);

/** The mailbox of a listed message. Only the list of all mailboxes names it in each message. */
export function mailboxOf({ mailbox = '' }: Message): string {
  return inbox.value?.listed.name ?? mailbox;
}

export function watchArrivals(listener: (messages: Message[]) => void): void {
  onArrival = listener;
}

/** Opens the mailbox, or all mailboxes for null; does nothing if it is open. */
export function openInbox(name: string | null): void {
  if (shown === name && !inboxFailure.value) return;
  if (shown !== name) {
    recipient.value = null;
    query.value = '';
  }
  shown = name;
  reopenInbox();
}

/** Shows the messages of one envelope recipient, or all. */
export function filterInbox(to: string | null): void {
  recipient.value = to;
  reopenInbox();
}

/** Shows the messages that match a query. The previous ones stay until these are loaded. */
export function searchInbox(text: string): void {
  if (query.value === text) return;
  query.value = text;
  inboxFailure.value = null;
  if (shown !== undefined) void load();
}

/** Reloads the first page of the shown messages. */
export function reopenInbox(): void {
  inbox.value = null;
  inboxFailure.value = null;
  if (shown !== undefined) void load();
}

/** Whether the list is that of this mailbox. */
export function isInboxOpen(name: string): boolean {
  return shown === name;
}

/** Whether the list contains the messages of this mailbox. */
export function isListed(name: string): boolean {
  return shown === null || shown === name;
}

export function closeInbox(): void {
  shown = undefined;
  recipient.value = null;
  query.value = '';
  inbox.value = null;
  inboxFailure.value = null;
}

/** What the list in view shows; null without a list. */
function listedNow(): Listed | null {
  return shown === undefined ? null : { name: shown, to: recipient.value, query: query.value };
}

function isSame(one: Listed | null, other: Listed | null): boolean {
  if (!one || !other) return false;
  return one.name === other.name && one.to === other.to && one.query === other.query;
}

async function load(): Promise<void> {
  const listed = listedNow();
  if (!listed) return;
  try {
    await whenListening();
    const page = await listMessages(listed);
    if (!isSame(listed, listedNow())) return;
    const known = inbox.value && isSame(inbox.value.listed, listed) ? inbox.value : null;
    const next = mergePage(known, page);
    const old = new Set(known?.messages.map(({ id }) => id));
    const fresh = known ? next.messages.filter(({ id }) => !old.has(id)) : [];
    // After a restart of the list, it can also contain older messages that were not known before.
    const newest = known?.messages[0]?.receivedAt ?? '';
    const arrived = fresh.filter(({ receivedAt }) => receivedAt >= newest);
    inbox.value = {
      ...{ listed, ...next, isComplete: page.complete !== false },
      arrived: new Set(arrived.map(({ id }) => id)),
    };
    inboxFailure.value = null;
    const { name, to } = listed;
    if (name !== null && to === null && 'total' in page) {
      const { total } = page;
      changeCount(name, () => total);
    }
    if (arrived.length > 0) onArrival(arrived);
  } catch (error) {
    if (isSame(listed, listedNow())) inboxFailure.value = toApiError(error);
  }
}

/** Loads new messages, at the pace the rate limit allows. */
export const refreshInbox = coalesce(load, refreshGap);

/** Loads the next page of older messages. */
export async function loadMore(): Promise<void> {
  const before = inbox.value;
  if (!before?.nextCursor || isLoadingMore.value) return;
  isLoadingMore.value = true;
  try {
    const page = await listMessages(before.listed, before.nextCursor);
    const current = inbox.value;
    if (!current || !isSame(current.listed, before.listed)) return;
    if (current.nextCursor !== before.nextCursor) return;
    const known = new Set(current.messages.map(({ id }) => id));
    const older = page.messages.filter(({ id }) => !known.has(id));
    inbox.value = {
      ...current,
      messages: [...current.messages, ...older],
      nextCursor: page.nextCursor,
      isComplete: page.complete !== false,
    };
    inboxFailure.value = null;
  } catch (error) {
    inboxFailure.value = toApiError(error);
  } finally {
    isLoadingMore.value = false;
  }
}

/** Removes a message from the list. */
export function dropMessage(id: string): void {
  const current = inbox.value;
  if (!current) return;
  inbox.value = { ...current, messages: current.messages.filter((message) => message.id !== id) };
}

type Loaded = Pick<Inbox, 'messages' | 'nextCursor'>;

/**
 * Merges the newest page with the messages loaded before. If they do not overlap, more messages
 * arrived than fit on a page; the result is the page alone, and scrolling loads the rest.
 */
function mergePage(known: Loaded | null, page: Loaded): Loaded {
  const { messages, nextCursor } = page;
  const ids = new Set(messages.map(({ id }) => id));
  const meets = known?.messages.some(({ id }) => ids.has(id)) ?? false;
  const last = messages.at(-1);
  if (!known || !last || !meets || nextCursor === null) return { messages, nextCursor };
  const older = known.messages.filter((message) => !ids.has(message.id) && isBefore(message, last));
  if (older.length === 0) return { messages, nextCursor };
  return { messages: [...messages, ...older], nextCursor: known.nextCursor };
}

/** Compares in the order of arrival: (receivedAt, id). */
function isBefore(one: Message, other: Message): boolean {
  if (one.receivedAt !== other.receivedAt) return one.receivedAt < other.receivedAt;
  return one.id < other.id;
}
