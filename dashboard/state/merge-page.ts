import type { Message } from '../rest/shapes.ts';

interface Loaded {
  messages: Message[];
  nextCursor: string | null;
}

/**
 * Merges the newest page with the messages loaded before. If they do not overlap, more messages
 * arrived than fit on a page; the result is the page alone, and scrolling loads the rest.
 */
export function mergePage(known: Loaded | null, page: Loaded): Loaded {
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
