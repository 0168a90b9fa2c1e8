/** Mails with random changes, and what holds for each of them. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { canonicalMail } from '../../../core/mime/canonical/canonical-mail.ts';
import { leavesOf, partBytes, partText } from '../../../core/mime/canonical/part.ts';
import { readStructure } from '../../../core/mime/canonical/structure.ts';
import { FULL_LIMITS } from '../../../core/mime/parse-limits.ts';
import { parseMail } from '../../../core/mime/parse-mail.ts';
import { mailCases } from './mail-case.ts';

/** Pieces that have a meaning in mail. */
const PIECES = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '--',
    '--b1',
    '--b1--',
    '"',
    '(',
    ')',
    '<',
    '>',
    ':',
    ';',
    '=',
    '=?',
    '?=',
  ],
  ...['\0', '\t', ' ', ',', '@', '\xff', '\xef\xbb\xbf', '\x1b$B', '\x1b(B', '=\r\n', '%', "''"],
  ...['Content-Type: multipart/mixed; boundary=b1\r\n\r\n', 'Content-Type: text/html\r\n\r\n'],
  ...['Content-Transfer-Encoding: base64\r\n', 'Content-Transfer-Encoding: quoted-printable\r\n'],
  ...['charset=utf-7', 'charset=iso-2022-jp', 'charset=hz', 'format=flowed', '=?utf-8?B?4pyT?='],
];

const HTML_HEADER = Buffer.from('Content-Type: text/html; charset=utf-8\r\n\r\n');

interface Change {
  at: number;
  removed: number;
  inserted: string;
}

/** The same mails for the same seed. */
export function* mutatedMails(count: number, seed: number): Generator<Buffer> {
  const mails = mailCases().map(({ raw }) => raw);
  const change: fc.Arbitrary<Change> = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(200)),
    inserted: fc.oneof(fc.constant(''), fc.constantFrom(...PIECES)),
  });
  const mutated = fc
    .tuple(fc.constantFrom(...mails), fc.array(change, { minLength: 1, maxLength: 6 }))
    .map(([raw, changes]) => changes.reduce(changed, raw));
  for (let made = 0; made < count; made += 1000) {
    yield* fc.sample(mutated, { numRuns: Math.min(1000, count - made), seed: seed + made });
  }
}

function changed(raw: Buffer, { at, removed, inserted }: Change): Buffer {
  const start = Math.floor(at * raw.length);
  const piece = Buffer.from(inserted, 'latin1');
  return Buffer.concat([raw.subarray(0, start), piece, raw.subarray(start + removed)]);
}

/**
 * @throws {Error} if the mail is not parsed, loses the bytes of a part without a `parseError`, or
 *   reads differently once it has been brought into one form.
 */
export async function checkMail(raw: Buffer): Promise<void> {
  const mail = await parseMail(raw);
  const { root } = readStructure(raw);
  const { pieces, html, attachments } = canonicalMail(raw, FULL_LIMITS);
  const again = {
    ...(await parseMail(Buffer.concat(pieces))),
    html: (await parseMail(Buffer.concat([HTML_HEADER, html]))).html,
  };
  const fields = ({ from, to, cc, subject, messageIdHeader, text, html }: typeof mail) => [
    ...[from, to, cc, subject, messageIdHeader],
    ...[shown(text), shown(html)],
  ];
  // Escapes of ISO-2022-JP count only in text that is ASCII otherwise.
  const hasEscapes = mail.text?.includes('\x1b') ?? false;
  if (!hasEscapes && !isDeepStrictEqual(fields(again), fields(mail)))
    throw lost('reads differently', raw, [fields(mail), fields(again)]);
  if (mail.parseError !== null) return;
  const isAttached = new Set(attachments.map(({ section }) => section));
  for (const leaf of leavesOf(root)) {
    const bytes = partBytes(leaf);
    const isShown = isAttached.has(leaf.section)
      ? mail.attachments.some(({ content }) => content.equals(bytes))
      : partText(leaf).trim() === '' || mail.text !== null || mail.html !== null;
    if (!isShown) throw lost(`part ${leaf.section} is not shown`, raw, []);
  }
}

/** Byte order marks at the start are removed one at a time. */
function shown(text: string | null): string {
  return (text ?? '').replace(/^\ufeff+/, '').trimEnd();
}

function lost(what: string, raw: Buffer, seen: unknown[]): Error {
  return new Error(`${what}: ${JSON.stringify(raw.toString('latin1'))} ${JSON.stringify(seen)}`);
}
