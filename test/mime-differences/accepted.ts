/** The differences that are right, and why. The first reason that applies counts. */
import type { Field, Reading } from './reading.ts';

export interface Difference {
  field: Field;
  /** Path of the mail in its corpus. */
  mail: string;
  /** The mail, one character per byte. */
  raw: string;
  mayfly: string;
  /** What the programs read that read something else. */
  others: string[];
  /** All of what Mayfly read. */
  reading: Reading;
}

interface Accepted {
  reason: string;
  fields: Field[];
  applies: (difference: Difference) => boolean;
}

const CONTENT: Field[] = ['text', 'html', 'names', 'sizes'];
const ADDRESSES: Field[] = ['from', 'to'];
const REPORT =
  /^content-type:\s*message\/(?:global-)?(?:delivery-status|disposition-notification|feedback-report)/im;
/** A part of text with a name. */
const NAMED_TEXT = /^content-(?:type:\s*text\/[^;]*|disposition:\s*inline);[^\0]{0,200}?name/im;
/** Characters that were not decoded, once or twice; Python has a lone surrogate for each byte. */
const UNDECODED = /[\uFFFD\uDC80-\uDCFF]|ï¿½/g;
/** A delimiter line with blanks in its boundary. */
const BLANK_BOUNDARY = /^--(=)?[ \t]+\S/m;

export const ACCEPTED: Accepted[] = [
  {
    reason: 'the description of the case tells why, and its test checks it',
    fields: [...CONTENT, ...ADDRESSES, 'subject', 'date'],
    applies: ({ mail }) => mail.startsWith('cases/'),
  },
  {
    reason: 'format=flowed joins lines, and quotes and signatures keep their own (RFC 3676)',
    fields: ['text'],
    applies: ({ raw }) => /format="?flowed/i.test(raw),
  },
  {
    reason: '8-bit text of no or a wrong character set is UTF-8, or else windows-1252 (RFC 6532)',
    fields: ['subject', 'from', 'to', 'text', 'names'],
    applies: ({ mayfly, others }) => others.some((other) => damage(other) > damage(mayfly)),
  },
  {
    reason: 'a report is shown with its machine-readable part as text (RFC 3464)',
    fields: ['text', 'sizes'],
    applies: ({ raw }) => REPORT.test(raw),
  },
  {
    reason: 'text with a file name is an attachment, inline or not (RFC 2183 section 2.3)',
    fields: CONTENT,
    applies: ({ raw, reading }) => reading.names !== '' && NAMED_TEXT.test(raw),
  },
  {
    reason: 'an enclosed mail is one attachment with its bytes as sent (RFC 2046 section 5.2.1)',
    fields: ['sizes', 'text'],
    applies: ({ raw }) => /^content-type:\s*message\/|multipart\/digest/im.test(raw),
  },
  {
    reason:
      'an invalid or unknown type of text is shown as text (RFC 2045 section 5.2, RFC 2046 section 4.1.4)',
    fields: CONTENT,
    applies: ({ raw }) =>
      /^content-type:\s*(?:text\/(?:enriched|richtext)|[^;\r\n]*[<>]|[\w/-]+[ \t]+\w+=|[^/;\r\n]*(?:;|\r?\n\S))/im.test(
        raw,
      ),
  },
  {
    reason: 'blanks in a delimiter line do not hide its parts (RFC 2046 section 5.1.1)',
    fields: CONTENT,
    applies: ({ raw }) => BLANK_BOUNDARY.test(raw),
  },
  {
    reason: 'a part of an unknown disposition is an attachment (RFC 2183 section 2.8)',
    fields: ['html', 'sizes'],
    applies: ({ raw }) => /^content-disposition:\s*(?!attachment|inline)\S/im.test(raw),
  },
  {
    reason: 'of several fields Subject, which RFC 5322 section 3.6 does not allow, the last counts',
    fields: ['subject'],
    applies: ({ raw }) => (raw.match(/^subject:/gim)?.length ?? 0) > 1,
  },
  {
    reason: 'what others leave out, because a boundary or a field is damaged, is shown',
    fields: ['text', 'names', 'sizes'],
    applies: ({ mayfly, others }) => mayfly !== '' && others.includes(''),
  },
  {
    reason: 'U+0000 is U+FFFD, which databases store',
    fields: ['text'],
    applies: ({ others }) => others.every((other) => other.includes('\0')),
  },
  {
    reason: 'a date without a known zone is UTC (RFC 5322 section 4.3)',
    fields: ['date'],
    applies: ({ mayfly, others }) => mayfly !== '' && others.includes(''),
  },
  {
    reason: 'an address is read without comments, routes and blanks (RFC 5322 section 4.4)',
    fields: ADDRESSES,
    applies: ({ others }) => others.some((other) => /[()":]|\w [\w@]|^[^@ ]+@[^@ ]+$/.test(other)),
  },
  {
    reason: 'words in an address are no address (RFC 2047 section 5), and a local user is one',
    fields: ADDRESSES,
    applies: ({ mayfly, others }) => /=\?/.test(others.join('')) || /^[\w.-]+$/.test(mayfly),
  },
];

function damage(text: string): number {
  return text.match(UNDECODED)?.length ?? 0;
}
