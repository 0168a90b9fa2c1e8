/** Mails of known size or bytes. */
import { createHash, randomBytes } from 'node:crypto';

const HEAD = 'From: load@bench.example\r\nMIME-Version: 1.0\r\n';
const LINE = `${'0123456789 '.repeat(6)}\r\n`;

/**
 * A plain text mail of about this many bytes. The number in its subject identifies it at a
 * receiver.
 */
export function benchMail(bytes: number, number = 0): string {
  const head = `${HEAD}Subject: bench ${number}\r\n\r\n`;
  return head + LINE.repeat(Math.max(1, Math.ceil((bytes - head.length) / LINE.length)));
}

/** One attachment that fills the mail. */
export function attachmentMail(bytes: number): string {
  const head = [
    'From: load@bench.example',
    'Subject: large',
    'Content-Type: application/octet-stream',
    'Content-Disposition: attachment; filename=large',
    'Content-Transfer-Encoding: base64',
    '\r\n',
  ].join('\r\n');
  return head + base64(bytes - head.length);
}

/**
 * A typical mail of a program: text, HTML with a style sheet, and an inline picture; about this
 * many bytes.
 */
export function programMail(bytes: number): string {
  const part = (headers: string[], body: string) => ['--part', ...headers, '', body].join('\r\n');
  const html = '<style>td { padding: 4px }</style><table><tr><td>order</td></tr></table>\r\n';
  const parts = [
    part(['Content-Type: text/plain; charset=utf-8'], LINE.repeat(20)),
    part(
      ['Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'],
      html.replaceAll('=', '=3D').repeat(60) + '<img src=3D"cid:logo">\r\n',
    ),
  ];
  const picture = [
    'Content-Type: image/png',
    'Content-ID: <logo>',
    'Content-Transfer-Encoding: base64',
  ];
  const rest = bytes - parts.join('').length;
  return [
    `${HEAD}Subject: =?utf-8?Q?Bestellung_best=C3=A4tigt?=`,
    'Content-Type: multipart/related; boundary=part\r\n',
    ...parts,
    part(picture, base64(rest)),
    '--part--\r\n',
  ].join('\r\n');
}

function base64(bytes: number): string {
  const line = `${'TWF5ZmxpZXMg'.repeat(6)}\r\n`;
  return line.repeat(Math.max(1, Math.floor(bytes / line.length)));
}

/** The number of the mail in the start of a webhook payload. */
export function numberIn(payload: string): number | null {
  const [, number] = /"subject":"bench (\d+)"/.exec(payload) ?? [];
  return number === undefined ? null : Number(number);
}

/** More than 1 MiB once decoded, so that both the mail and its attachment become blobs. */
const LARGE_ATTACHMENT_BYTES = 1_100_000;
const base64Lines = randomBytes(LARGE_ATTACHMENT_BYTES)
  .toString('base64')
  .replace(/.{76}/g, '$&\r\n');

/**
 * Lines that are easily corrupted: dots, 8-bit bytes, NUL, trailing blanks, a line of maximum
 * length.
 */
const DELICATE = `.\r\n..two dots\r\ncaf\xe9 \xff\x00\r\nblanks  \t\r\n${'l'.repeat(998)}\r\n\r\n`;

export function smallMail(marker: string): Buffer {
  const padding = 'mail '.repeat(Math.floor(Math.random() * 1000));
  return latin1(
    `From: load@elsewhere.example\r\nSubject: ${marker}\r\n\r\n${DELICATE}${padding}\r\n`,
  );
}

export function largeMail(marker: string): Buffer {
  return latin1(
    `From: load@elsewhere.example\r\nSubject: ${marker}\r\n` +
      'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n' +
      `--b\r\nContent-Type: text/plain\r\n\r\n${marker}\r\n` +
      '--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n' +
      `Content-Disposition: attachment; filename=load.bin\r\n\r\n${base64Lines}\r\n--b--\r\n`,
  );
}

export function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
