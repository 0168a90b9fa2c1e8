/** Messages that the user deleted in this page and that are hidden. */
import { signal } from '@preact/signals';
import { pendingClears } from './pending-clears.ts';

/**
 * Ids of deleted messages, including those that the server has not deleted yet; their events are
 * ignored.
 */
export const pendingDeletes = signal<ReadonlySet<string>>(new Set());

/** The mailbox of each message that the server has not deleted yet, by message id. */
const waiting = new Map<string, string>();

export function hide(id: string, mailbox: string): void {
  waiting.set(id, mailbox);
  pendingDeletes.value = new Set([...pendingDeletes.value, id]);
}

export function unhide(id: string): void {
  waiting.delete(id);
  pendingDeletes.value = new Set([...pendingDeletes.value].filter((one) => one !== id));
}

/** The server has deleted the message and no longer counts it. */
export function deletedForGood(id: string): void {
  waiting.delete(id);
}

/** The server's message count minus the hidden messages that it still includes. */
export function shownCount(mailbox: string, total: number): number {
  const hiddenHere = [...waiting.values()].filter((name) => name === mailbox).length;
  const cleared = pendingClears.value.get(mailbox)?.count ?? 0;
  return Math.max(0, total - hiddenHere - cleared);
}
