import { parseMail } from '../../../core/mime/parse-mail.ts';

/** The lines of a calendar with one event. */
export const calendar = (event: string[], before: string[] = ['METHOD:REQUEST']) => [
  ...['BEGIN:VCALENDAR', 'VERSION:2.0', ...before],
  ...['BEGIN:VEVENT', ...event, 'END:VEVENT', 'END:VCALENDAR'],
];
/** A part of a mail with a calendar. */
export const part = (lines: string[] | Buffer, type = 'text/calendar') =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Type: ${type}\r\n\r\n`),
    Buffer.isBuffer(lines) ? lines : Buffer.from(lines.join('\r\n')),
    Buffer.from('\r\n'),
  ]);
/** The event of a mail with these parts. */
export const eventOf = async (...parts: Buffer[]) => {
  const head = 'From: ann@else.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n';
  return (await parseMail(Buffer.concat([Buffer.from(head), ...parts, Buffer.from('--b--\r\n')])))
    .event;
};
