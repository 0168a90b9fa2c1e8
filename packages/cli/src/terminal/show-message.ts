import type { Message } from '@mayfly/client';
import { type Terminal, printable } from './terminal.ts';

/** One line: id, sender, subject. */
export function lineOf({ style }: Terminal, { id, from, subject }: Message): string {
  return `${style('dim', id)}  ${oneLine(from)}  ${style('bold', oneLine(subject))}`;
}

/** The same behind the name of the mailbox, if the message has it. */
export function placedLineOf(terminal: Terminal, message: Message): string {
  const { mailbox } = message;
  const line = lineOf(terminal, message);
  return mailbox === undefined ? line : `${terminal.style('green', mailbox)}  ${line}`;
}

/** Header fields, attachments and the text. */
export function pageOf({ style }: Terminal, message: Message, text: string): string {
  const { from, fromName, to, cc, subject, date, receivedAt, attachments } = message;
  const { sender, recipients, report, event, parseError } = message;
  const words = (...given: (string | null | undefined)[]) =>
    given.flatMap((word) => word ?? []).join(' ');
  const fields = [
    ['From', fromName === undefined ? from : `${fromName} <${from}>`],
    ...(sender ? [['Sender', sender.address]] : []),
    ...(recipients?.replyTo ?? []).map(({ address }) => ['Reply-To', address]),
    ['To', to.join(', ')],
    ...(cc.length === 0 ? [] : [['Cc', cc.join(', ')]]),
    ['Subject', subject],
    ...(date ? [['Date', date]] : []),
    ['Received', receivedAt],
    ...(report?.recipients ?? []).map(({ address, action, status, diagnostic }) => [
      'Report',
      words(report?.kind, address, action, status, diagnostic),
    ]),
    ...(event ? [['Event', words(event.method, event.start, event.end, event.summary)]] : []),
    ...attachments.map(({ filename, size }) => ['Attachment', `${filename} (${size} bytes)`]),
    ...(parseError === undefined ? [] : [['Parse error', parseError]]),
  ];
  const head = fields.map(
    ([name = '', value = '']) => `${style('bold', `${name}:`)} ${oneLine(value)}`,
  );
  return [...head, '', printable(text)].join('\n');
}

/** A sender's text without line breaks and control characters. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' '));
}
