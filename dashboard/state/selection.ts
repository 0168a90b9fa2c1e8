/** The messages selected in a list, for one action on all of them. */
import { computed, signal } from '@preact/signals';
import type { Message } from '../rest/shapes.ts';
import { openIdOf, route } from '../routing/routes.ts';
import { messages } from './inbox.ts';

const ids = signal<ReadonlySet<string>>(new Set());

/** The selected messages that are still in the list. */
export const selected = computed<Message[]>(() =>
  ids.value.size === 0 ? [] : messages.value.filter(({ id }) => ids.value.has(id)),
);

/** Ids in the order of the list. */
let order: string[] = [];
/** Where a range begins: the message that was selected last. */
let anchor: string | null = null;

/** Sets the messages that can be selected, in the order of the list. */
export function selectFrom(listed: readonly Message[]): void {
  order = listed.map(({ id }) => id);
}

export function isSelected(id: string): boolean {
  return ids.value.has(id);
}

export function toggleSelected(id: string): void {
  const next = new Set(ids.peek());
  if (!next.delete(id)) next.add(id);
  ids.value = next;
  anchor = id;
}

/** Selects the messages from the last selected one, or else the open one, to this one. */
export function selectRange(id: string): void {
  anchor ??= openIdOf(route.peek()) ?? id;
  const from = order.indexOf(anchor);
  const to = order.indexOf(id);
  const start = from < 0 ? to : from;
  ids.value = new Set(order.slice(Math.min(start, to), Math.max(start, to) + 1));
}

export function selectAll(): void {
  ids.value = new Set(order);
}

export function clearSelection(): void {
  anchor = null;
  if (ids.peek().size > 0) ids.value = new Set();
}
