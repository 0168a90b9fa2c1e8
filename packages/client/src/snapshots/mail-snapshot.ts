import type { Message } from '../types.ts';
import { masked } from './masks.ts';

/**
 * A message as text for a snapshot: addresses, subject, attachments, text and HTML. Codes, dates,
 * ids, recipients, and what differs in links are placeholders, such as `<code>`.
 * @throws {TypeError} for what is no message.
 */
export function mailSnapshot(message: Message): string {
  checkMessage(message);
  const { from, fromName, to, cc, subject, attachments, envelope, text = '', html = '' } = message;
  const lines = [
    `From: ${fromName === undefined ? from : `${fromName} <${from}>`}`,
    `To: ${to.join(', ')}`,
    ...(cc.length === 0 ? [] : [`Cc: ${cc.join(', ')}`]),
    `Subject: ${subject}`,
    ...attachments.map(({ filename, contentType }) => `Attachment: ${filename} (${contentType})`),
    ...bodyOf('text', text),
    ...bodyOf('html', html),
  ];
  return masked(lines.join('\n'), [...new Set([...to, ...cc, ...envelope.to])]);
}

/** A program in JavaScript can pass anything. */
function checkMessage(message: unknown): void {
  if (typeof message !== 'object' || message === null || !('envelope' in message))
    throw new TypeError('A snapshot of a mail takes a message, such as await inbox.wait().');
}

function bodyOf(name: string, body: string): string[] {
  const lines = body.split(/\r?\n/).map((line) => line.trimEnd());
  return body.trim() === '' ? [] : ['', `--- ${name} ---`, lines.join('\n').trim()];
}
