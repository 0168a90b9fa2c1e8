/** The messages of the mailbox that is shown, newest first, as far as they are loaded. */
import { computed, signal } from '@preact/signals';
import { type ApiError, toApiError } from '../rest/api-error.js';
import { refreshGap } from '../rest/rate-limit.js';
import { listMessages } from '../rest/messages.js';
import type { Message } from '../rest/shapes.js';
import { coalesce } from './coalesce.js';
import { pendingDeletes, shownCount } from './pending-deletes.js';
import { whenListening } from './listening.js';
import { changeCount } from './mailboxes.js';
import { mergePage } from './merge-page.js';
import { now } from './clock.js';

export interface Inbox {
  name: string;
  messages: Message[];
  nextCursor: string | null;
  /** Ids of what came in while it was shown. */
  arrived: ReadonlySet<string>;
}

/** Null while nothing of it is loaded. */
export const inbox = signal<Inbox | null>(null);
export const inboxFailure = signal<ApiError | null>(null);
export const isLoadingMore = signal(false);
/** The envelope recipient whose messages alone are shown; null for all. */
export const recipient = signal<string | null>(null);

/** Called with what has newly come in. */
let onArrival: (messages: Message[]) => void = () => undefined;
let shown: string | null = null;

export const messages = computed(() =>
  (inbox.value?.messages ?? []).filter(
    ({ id, expiresAt }) => !pendingDeletes.value.has(id) && Date.parse(expiresAt) > now.value,
  ),
);

export function watchArrivals(listener: (messages: Message[]) => void): void {
  onArrival = listener;
}

/** Shows this mailbox; does nothing when it is shown already. */
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

/** Loads what is shown from its beginning. */
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
    // Older ones can appear, too, when what is shown begins anew.
    const newest = known?.messages[0]?.receivedAt ?? '';
    const arrived = fresh.filter(({ receivedAt }) => receivedAt >= newest);
    inbox.value = { name, ...next, arrived: new Set(arrived.map(({ id }) => id)) };
    inboxFailure.value = null;
    changeCount(name, () => shownCount(name, page.total));
    if (arrived.length > 0) onArrival(arrived);
  } catch (error) {
    if (shown === name) inboxFailure.value = toApiError(error);
  }
}

/** Loads what is new: at once, and under load as often as the budget allows. */
export const refreshInbox = coalesce(async () => {
  if (shown !== null) await load(shown);
}, refreshGap);

/** Loads the next page of older ones. */
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

/** Takes a message out of what is shown. */
export function dropMessage(id: string): void {
  const current = inbox.value;
  if (!current) return;
  inbox.value = { ...current, messages: current.messages.filter((message) => message.id !== id) };
}
