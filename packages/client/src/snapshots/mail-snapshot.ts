import { types } from 'node:util';
import type { Message } from '../types.ts';
import { masked } from './masks.ts';

export interface SnapshotOptions {
  /** What matches one of these is `<masked>`. */
  mask?: readonly RegExp[];
}

/**
 * No mail has this character: Unicode reserves it. Unlike the placeholder, it can stand in a link.
 */
const MASKED = '\uFFFF';

/**
 * A message as text for a snapshot: addresses, subject, attachments, text and HTML. Codes, dates,
 * ids, recipients, and what differs in links are placeholders, such as `<code>`.
 * @throws {TypeError} for what is no message, and for other options.
 */
export function mailSnapshot(message: Message, options: SnapshotOptions = {}): string {
  checkMessage(message);
  const patterns = patternsOf(options);
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
  const hidden = patterns.reduce(
    (shown, pattern) => shown.replace(pattern, (found) => (found === '' ? '' : MASKED)),
    lines.join('\n'),
  );
  const recipients = [...new Set([...to, ...cc, ...envelope.to])];
  return masked(hidden, recipients).replaceAll(MASKED, '<masked>');
}

/** A program in JavaScript can pass anything. */
function checkMessage(message: unknown): void {
  if (typeof message !== 'object' || message === null || !('envelope' in message))
    throw new TypeError('A snapshot of a mail takes a message, such as await inbox.wait().');
}

/** The patterns of the option `mask`, each for all of its matches. */
function patternsOf(options: unknown): RegExp[] {
  if (typeof options === 'object' && options !== null && !types.isRegExp(options)) {
    const { mask = [], ...others } = options as { mask?: unknown };
    const isKnown = Object.keys(others).length === 0;
    if (isKnown && Array.isArray(mask) && mask.every(types.isRegExp))
      return mask.map((one) => new RegExp(one, `${one.flags.replace(/[gy]/g, '')}g`));
  }
  throw new TypeError('The options of a snapshot are { mask: [/pattern/] }: a list of RegExp.');
}

function bodyOf(name: string, body: string): string[] {
  const lines = body.split(/\r?\n/).map((line) => line.trimEnd());
  return body.trim() === '' ? [] : ['', `--- ${name} ---`, lines.join('\n').trim()];
}
