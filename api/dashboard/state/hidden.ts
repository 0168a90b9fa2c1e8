/** Messages that are not shown any more because somebody deletes them here. */
import { signal } from '@preact/signals';

/** The server may not know yet; its events about them tell us nothing. */
export const hidden = signal<ReadonlySet<string>>(new Set());

/** Of these it does not: the mailbox of each, by id. */
const waiting = new Map<string, string>();

export function hide(id: string, mailbox: string): void {
  waiting.set(id, mailbox);
  hidden.value = new Set([...hidden.value, id]);
}

export function unhide(id: string): void {
  waiting.delete(id);
  hidden.value = new Set([...hidden.value].filter((one) => one !== id));
}

/** From now on the server's counts leave it out. */
export function deletedForGood(id: string): void {
  waiting.delete(id);
}

/** A count that the server gave, less what it counts though it is hidden. */
export function shownCount(mailbox: string, total: number): number {
  const hiddenHere = [...waiting.values()].filter((name) => name === mailbox).length;
  return Math.max(0, total - hiddenHere);
}
