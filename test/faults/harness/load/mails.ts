/** Mails with known bytes and a unique marker as the subject. */
import { createHash, randomBytes } from 'node:crypto';

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
