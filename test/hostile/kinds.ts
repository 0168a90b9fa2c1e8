/**
 * Generated mail of a sender who wants the product to be slow. Each kind makes a mail of about the
 * given number of bytes that repeats one form, so that work which is not linear in it shows.
 */
import { HOSTILE_SHAPES } from '../support/mail/hostile-shapes.ts';
import { HTML_KINDS } from './html-kinds.ts';

/** Makes a mail of about this number of bytes. */
export type Kind = (bytes: number) => Buffer;

const CODE = 'Your code is 482913.';
const mail = (head: string, body = CODE): Buffer =>
  Buffer.from(`From: a@x.test\r\nSubject: s\r\n${head}\r\n\r\n${body}`, 'latin1');
const typed = (type: string, body: string): Buffer => mail(`Content-Type: ${type}`, body);

/** The form repeated, with its number in place of each `#`. */
export function repeated(form: string, bytes: number): string {
  const count = Math.max(1, Math.floor(bytes / form.length));
  return form.includes('#')
    ? Array.from({ length: count }, (_, n) => form.replaceAll('#', String(n))).join('')
    : form.repeat(count);
}

/** A field that is folded before each 900 bytes. */
function folded(name: string, form: string, bytes: number): string {
  const line = repeated(form, Math.min(900, bytes));
  return `${name}: ${Array.from({ length: Math.max(1, Math.floor(bytes / line.length)) }, () => line).join('\r\n ')}`;
}
const field =
  (name: string, form: string): Kind =>
  (n) =>
    mail(folded(name, form, n));
const line =
  (name: string, form: string, end = ''): Kind =>
  (n) =>
    mail(`${name}: ${repeated(form, n)}${end}`);
const text =
  (type: string, form: string): Kind =>
  (n) =>
    typed(type, repeated(form, n));
const parts =
  (form: string, end = '--b--'): Kind =>
  (n) =>
    typed('multipart/mixed; boundary=b', `${repeated(form, n)}${end}`);
const report =
  (form: string): Kind =>
  (n) =>
    typed(
      'multipart/report; report-type=delivery-status; boundary=b',
      `--b\r\n\r\n${CODE}\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x.test\r\n\r\n${repeated(form, n)}\r\n--b--`,
    );
const nested: Kind = (n) => {
  const depth = Math.floor(n / 70);
  const body = Array.from(
    { length: depth },
    (_, at) => `--${at}\r\nContent-Type: multipart/mixed; boundary=${at + 1}\r\n\r\n`,
  );
  return typed('multipart/mixed; boundary=0', body.join(''));
};
const located: Kind = (n) => {
  const pictures = repeated('<img src=a#>', n / 2);
  return typed(
    'multipart/related; boundary=b',
    `--b\r\nContent-Type: text/html\r\n\r\n<base href="http://x.test/${'a'.repeat(n / 2)}">${pictures}\r\n--b\r\nContent-Type: image/png\r\nContent-Location: a1\r\n\r\nx\r\n--b--`,
  );
};
const inLocated: Kind = (n) => {
  const count = Math.floor(Math.sqrt(n / 100));
  const outer = Array.from(
    { length: count },
    (_, at) =>
      `--${at}\r\nContent-Type: multipart/related; boundary=${at + 1}\r\nContent-Location: ${'a/'.repeat(n / count / 4)}\r\n\r\n`,
  );
  const leaves = `--${count}\r\nContent-Type: image/png\r\nContent-Location: b\r\n\r\nx\r\n`;
  return typed(
    'multipart/related; boundary=0',
    outer.join('') + leaves.repeat(n / 2 / leaves.length),
  );
};
const encodedHtml: Kind = (n) =>
  mail(
    'Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable',
    repeated('=3Cb=3E=\r\n', n),
  );

const OWN: Record<string, Kind> = {
  'label: one long': (n) => typed(`text/plain; charset="${'x '.repeat(n / 2)}x"`, CODE),
  'label: commas': (n) => typed(`text/plain; charset="${','.repeat(n)}x"`, 'hi\xff there'),
  'labels: many': parts('--b\r\nContent-Type: text/plain; charset="x-#"\r\n\r\nhi\xff\r\n'),
  'labels: many long': parts(
    `--b\r\nContent-Type: text/plain; charset="${','.repeat(900)}x-#"\r\n\r\nhi\xff\r\n`,
  ),
  'words: valid': field('Subject', '=?utf-8?B?w6Q=?= '),
  'words: failing': field('X-A', '=?x?Q?\xff?='),
  'words: sets': field('X-A', '=?iso-2022-jp?B?GyRCMCEbKEI=?= '),
  'words: open': line('X-A', '=?utf-8?Q?'),
  'words: unknown sets': line('X-A', '=?x#?Q?=E4?= '),
  'address: long local part': (n) => mail(`Reply-To: <"${'a'.repeat(n)}("@x.test>`),
  'address: a stray bracket': (n) => mail(`Cc: ${'a'.repeat(n)}(@b.c>`),
  'address: quotes': line('Cc', '"a\\"b" <c@x.test>, '),
  'address: open quotes': line('Cc', '"a'),
  'address: comments': (n) => mail(`Cc: ${'('.repeat(n / 2)}${')'.repeat(n / 2)}a@x.test`),
  'address: groups': line('Cc', 'g#: a@x.test, b@x.test; '),
  'address: list': field('Cc', 'A B <a@x.test>, '),
  'address: names in Unicode': line('Cc', `a#@${'\xc3\xa4'.repeat(60)}.test, `),
  'address: dots': line('Reply-To', 'a.', '@x.test'),
  'address: at signs': line('To', 'a@'),
  'parameters: continuations': (n) => typed(`text/plain${repeated("; name*#*=utf-8''a", n)}`, CODE),
  'parameters: long': (n) => typed(`text/plain; name="${repeated('a\\"', n)}"`, CODE),
  'parameters: spaces': (n) => typed(`text/plain; name=a${' '.repeat(n)};b`, CODE),
  'header: many fields': (n) => mail(repeated('X-#: a\r\n', n).trimEnd()),
  'header: one name': (n) => mail(repeated('Received: from a by b; Mon\r\n', n).trimEnd()),
  'header: one folded field': field('X-A', 'word '),
  'header: folded at each word': (n) => mail(`X-A: ${repeated('a\r\n ', n)}`),
  'header: references': field('References', '<a.b@x.test> '),
  'header: long name': (n) => mail(`${'X'.repeat(n)}: a`),
  'header: subject': line('Subject', 'Re: '),
  'set: ISO-2022-JP': text('text/plain; charset=iso-2022-jp', '\x1b$B0!\x1b(B'),
  'set: ISO-2022 switches': text('text/plain; charset=iso-2022-jp', '\x1b$(D\x1b(B'),
  'set: UTF-7': text('text/plain; charset=utf-7', '+AOQ-'),
  'set: open UTF-7': text('text/plain; charset=utf-7', '+'),
  'tree: wide': parts('--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'),
  'tree: attachments': parts(
    '--b\r\nContent-Disposition: attachment; filename="a#.txt"\r\n\r\nx\r\n',
  ),
  'tree: deep': nested,
  'tree: mails': (n) => Buffer.from(repeated('Content-Type: message/rfc822\r\n\r\n', n)),
  'tree: located pictures': located,
  'tree: located in located': inLocated,
  'tree: mails with 8-bit subjects': parts(
    '--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: \xff \xff \xff \xff \xff \xff\r\n\r\nx\r\n',
  ),
  'tree: a mail with an 8-bit subject': (n) =>
    typed('message/rfc822', `Subject: ${repeated('\xff ', n)}\r\n\r\nx`),
  'tree: look-alike delimiters': parts('--bb\r\n', '\r\n--b\r\n\r\nx\r\n--b--'),
  'tree: spaces after a delimiter': parts('--b  x\r\n'),
  'calendar: events': text(
    'text/calendar; method=REQUEST',
    'BEGIN:VEVENT\r\nUID:#\r\nSUMMARY:a\r\nDTSTART:20260101T000000Z\r\nEND:VEVENT\r\n',
  ),
  'calendar: one folded line': (n) =>
    typed(
      'text/calendar',
      `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:${repeated('a\r\n ', n)}\r\nEND:VEVENT\r\nEND:VCALENDAR`,
    ),
  'report: recipients': report('Final-Recipient: rfc822; a#@x.test\r\nAction: failed\r\n\r\n'),
  'report: long status': report('Diagnostic-Code'),
  'text: words': text('text/plain', 'word# '),
  'text: one word': text('text/plain', 'a'),
  'text: links': text('text/plain', 'https://x.test/verify?a=#\n'),
  'text: link starts': text('text/plain', 'http://'),
  'text: digits': text('text/plain', '1'),
  'text: codes': text('text/plain', 'code 482913\n'),
  'text: look-alike codes': text('text/plain', 'code: 1-2-'),
  'text: quote levels': text('text/plain', '> '),
  'text: quoted lines': text('text/plain', '> On 1 Jan, a@x.test wrote:\n'),
  'text: spaces': text('text/plain', ' '),
  'text: blank lines': text('text/plain', '\r\n'),
  'header: subject of U+FDFA': line('Subject', '\xef\xb7\xba'),
  'text: U+FDFA': text('text/plain; charset=utf-8', '\xef\xb7\xba'),
  'HTML in quoted-printable': encodedHtml,
};

const html = Object.entries(HTML_KINDS).map(([name, form]): [string, Kind] => [
  `HTML: ${name}`,
  (n) => typed('text/html', typeof form === 'string' ? repeated(form, n) : form(n)),
]);
const shapes = Object.entries(HOSTILE_SHAPES).map(([name, make]): [string, Kind] => [
  `shape: ${name}`,
  make,
]);

/** Each kind by its name. */
export const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...Object.entries(OWN),
  ...html,
  ...shapes,
]);

/** A mail of ordinary sentences, with which the time of a reader is compared. */
export function harmless(bytes: number): Buffer {
  return typed('text/plain', repeated('This is a line of ordinary text for you.\r\n', bytes));
}
