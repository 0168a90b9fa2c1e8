/** Messages that are hidden because this page deleted them, or cleared their mailbox. */
import { type Signal, computed, signal } from '@preact/signals';

/**
 * The mailbox of each deleted message, by message id; null once the server has deleted it. The id
 * stays, so that the event of the deletion is ignored.
 */
export const deleted = signal<ReadonlyMap<string, string | null>>(new Map());

interface Clear {
  /** `receivedAt` of the newest message that is cleared. */
  until: string;
  /** The number of messages that are cleared. */
  count: number;
}

/** Mailboxes that the server has not cleared yet, by name. */
export const clears = signal<ReadonlyMap<string, Clear>>(new Map());

/** Sets entries of a map, and removes those whose new value is undefined. */
export function setEntries<Value>(
  map: Signal<ReadonlyMap<string, Value>>,
  entries: readonly (readonly [key: string, value: Value | undefined])[],
): void {
  const next = new Map(map.peek());
  for (const [key, value] of entries) {
    if (value === undefined) next.delete(key);
    else next.set(key, value);
  }
  map.value = next;
}

/** Whether a message of the mailbox is hidden because it is cleared. */
export function isCleared(mailbox: string, receivedAt: string): boolean {
  const clear = clears.value.get(mailbox);
  return clear !== undefined && receivedAt <= clear.until;
}

/** The number of hidden messages that the server still counts, by mailbox name. */
export const hiddenCounts = computed<ReadonlyMap<string, number>>(() => {
  const counts = new Map([...clears.value].map(([name, { count }]) => [name, count]));
  for (const name of deleted.value.values()) {
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
});
