/** What the live event of a new message tells about it. */
import type { LiveEvent } from '../events/event.js';

/** Characters of sender and subject. Redis keeps up to 10,000 events of a workspace. */
const MAX_LENGTH = 998;

export function eventFields(
  messageId: string,
  { fromAddress, subject }: { fromAddress: string; subject: string },
  preview: string,
): Pick<LiveEvent, 'messageId' | 'from' | 'subject' | 'preview'> {
  return { messageId, from: cut(fromAddress), subject: cut(subject), preview };
}

function cut(text: string): string {
  return text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '');
}
