import type { Message } from '../../rest/shapes.js';

/** Returns whether the summary of the message contains every word of the query. */
export function matches(message: Message, query: string): boolean {
  const { subject, from, fromName, to, cc, tag, attachments } = message;
  const text = [subject, from, fromName, ...to, ...cc, tag, ...attachments.map((a) => a.filename)]
    .join('\n')
    .toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
