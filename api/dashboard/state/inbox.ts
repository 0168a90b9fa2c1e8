/** The messages of the mailbox in view, newest first, as far as they are loaded. */
import { computed, signal } from '@preact/signals';
import { type ApiError, toApiError } from '../rest/api-error.js';
import { refreshGap } from '../rest/rate-limit.js';
import { listMessages } from '../rest/messages.js';
import type { Message } from '../rest/shapes.js';
import { coalesce } from './coalesce.js';
import { isCleared } from './pending-clears.js';
import { pendingDeletes, shownCount } from './pending-deletes.js';
import { whenListening } from './listening.js';
import { changeCount } from './mailboxes.js';
import { mergePage } from './merge-page.js';
import { now } from './clock.js';

export interface Inbox {
  name: string;
  messages: Message[];
  nextCursor: string | null;
  /** Ids of messages that arrived while the mailbox was in view. */
  arrived: ReadonlySet<string>;
}

/** Null until the first page is loaded. */
export const inbox = signal<Inbox | null>(null);
export const inboxFailure = signal<ApiError | null>(null);
export const isLoadingMore = signal(false);
/** The envelope recipient whose messages are shown; null for all. */
export const recipient = signal<string | null>(null);

/** Called with newly arrived messages. */
let onArrival: (messages: Message[]) => void = () => undefined;
let shown: string | null = null;

export const messages = computed(() =>
  (inbox.value?.messages ?? []).filter(
    ({ id, expiresAt, receivedAt }) =>
      !pendingDeletes.value.has(id) &&
      !isCleared(inbox.value?.name ?? '', receivedAt) &&
      Date.parse(expiresAt) > now.value,
  ),
);

export function watchArrivals(listener: (messages: Message[]) => void): void {
  onArrival = listener;
}

/** Opens the mailbox; does nothing if it is open. */
export function openInbox(name: string): void {
  if (shown === name && !inboxFailure.value) return;
  if (shown !== name) recipient.value = null;
  shown = name;
  reopenInbox();
}

/** Shows the messages of one envelope recipient, or all. */
export function filterInbox(to: string | null): void {
  recipient.value = to;
  reopenInbox();
}

/** Reloads the first page of the shown messages. */
export function reopenInbox(): void {
  inbox.value = null;
  inboxFailure.value = null;
  if (shown !== null) void load(shown);
}

export function isShown(name: string): boolean {
  return shown === name;
}

export function closeInbox(): void {
  shown = null;
  recipient.value = null;
  inbox.value = null;
  inboxFailure.value = null;
}

async function load(name: string): Promise<void> {
  try {
    await whenListening();
    const to = recipient.value;
    const page = await listMessages(name, to);
    if (shown !== name || recipient.value !== to) return;
    const known = inbox.value;
    const next = mergePage(known, page);
    const old = new Set(known?.messages.map(({ id }) => id));
    const fresh = known ? next.messages.filter(({ id }) => !old.has(id)) : [];
    // After a restart of the list, it can also contain older messages that were not known before.
    const newest = known?.messages[0]?.receivedAt ?? '';
    const arrived = fresh.filter(({ receivedAt }) => receivedAt >= newest);
    inbox.value = { name, ...next, arrived: new Set(arrived.map(({ id }) => id)) };
    inboxFailure.value = null;
    if (to === null) changeCount(name, () => shownCount(name, page.total));
    if (arrived.length > 0) onArrival(arrived);
  } catch (error) {
    if (shown === name) inboxFailure.value = toApiError(error);
  }
}

/** Loads new messages, at the pace the rate limit allows. */
export const refreshInbox = coalesce(async () => {
  if (shown !== null) await load(shown);
}, refreshGap);

/** Loads the next page of older messages. */
export async function loadMore(): Promise<void> {
  const before = inbox.value;
  if (!before?.nextCursor || isLoadingMore.value) return;
  isLoadingMore.value = true;
  try {
    const page = await listMessages(before.name, recipient.value, before.nextCursor);
    const current = inbox.value;
    if (current?.name !== before.name || current.nextCursor !== before.nextCursor) return;
    const known = new Set(current.messages.map(({ id }) => id));
    const older = page.messages.filter(({ id }) => !known.has(id));
    inbox.value = {
      ...current,
      messages: [...current.messages, ...older],
      nextCursor: page.nextCursor,
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
