import type { Message, MessagePage } from '../rest/shapes.js';

interface Loaded {
  messages: Message[];
  nextCursor: string | null;
}

/**
 * The newest page put on what was loaded before. Where the two do not meet, more came in than fits a page:
 * then the page stands alone, and what was below it is loaded again when somebody scrolls there.
 */
export function mergePage(known: Loaded | null, page: MessagePage): Loaded {
  const { messages, nextCursor } = page;
  const ids = new Set(messages.map(({ id }) => id));
  const meets = known?.messages.some(({ id }) => ids.has(id)) ?? false;
  const last = messages.at(-1);
  if (!known || !last || !meets || nextCursor === null) return { messages, nextCursor };
  const older = known.messages.filter((message) => !ids.has(message.id) && isBefore(message, last));
  if (older.length === 0) return { messages, nextCursor };
  return { messages: [...messages, ...older], nextCursor: known.nextCursor };
}

/** In the order of arrival, which is (receivedAt, id). */
function isBefore(one: Message, other: Message): boolean {
  if (one.receivedAt !== other.receivedAt) return one.receivedAt < other.receivedAt;
  return one.id < other.id;
}
