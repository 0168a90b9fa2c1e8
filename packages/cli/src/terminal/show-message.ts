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
  const { from, fromName, to, cc, subject, receivedAt, attachments } = message;
  const fields = [
    ['From', fromName === undefined ? from : `${fromName} <${from}>`],
    ['To', to.join(', ')],
    ...(cc.length === 0 ? [] : [['Cc', cc.join(', ')]]),
    ['Subject', subject],
    ['Date', receivedAt],
    ...attachments.map(({ filename, size }) => ['Attachment', `${filename} (${size} bytes)`]),
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
