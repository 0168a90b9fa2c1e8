/**
 * Reads the fields that describe the content of a part (RFC 2045, RFC 2183, RFC 2392, RFC 2557).
 */
import { type RawField, withoutBlanks } from './header-block.ts';
import { type Parameters, commentEnd, parseParameters, withoutComments } from './parameters.ts';
import { decodeEncodedWords } from '../words.ts';

export interface ContentFields {
  /** Type and subtype in lower case. */
  type: string;
  parameters: Parameters;
  encoding: TransferEncoding;
  /** In lower case; null if there is none. */
  disposition: string | null;
  dispositionParameters: Parameters;
  filename: string | null;
  /** Without angle brackets. */
  contentId: string | null;
  location: string | null;
  description: string | null;
  /** The character set as declared. */
  charset: string | null;
}

/** `identity` stands for 7bit, 8bit, binary and unknown encodings: the bytes as they are. */
export type TransferEncoding = 'base64' | 'quoted-printable' | 'identity';

export const CONTENT_FIELD =
  /^content-(?:type|transfer-encoding|disposition|id|location|description)$/i;

/** Bytes that are read of a field. Parameters need more time per byte. */
const CONTENT_FIELD_BYTES = 16 * 1024;

const TYPE = /^"?([^\s;,"/=]+)[ \t]*\/[ \t]*([^\s;,"/=]+)"?(?=[\s;,]|$)/;
/** A type without a subtype, which some mailers write; others mean text (RFC 2045 section 5.2). */
const BARE_TYPE: Readonly<Record<string, string>> = {
  html: 'text/html',
  multipart: 'multipart/mixed',
};
/** Parameters without which the bytes of an attachment cannot be read (RFC 5545, RFC 6047). */
const SHOWN_PARAMETERS = ['method', 'charset'];

const NONE: Parameters = new Map();

/**
 * @param defaultType for a part without Content-Type. An invalid type means text/plain (RFC 2045
 *   section 5.2).
 */
export function readContentFields(fields: RawField[], defaultType: string): ContentFields {
  const content = new Map<string, string>();
  for (const { name, value } of fields) {
    const key = name.toLowerCase();
    if (CONTENT_FIELD.test(key) && !content.has(key)) {
      content.set(key, value.slice(0, CONTENT_FIELD_BYTES));
    }
  }
  const { type, parameters } = contentType(content.get('content-type'), defaultType);
  const disposition = parsed(content.get('content-disposition'));
  const filename = disposition?.parameters.get('filename') || parameters.get('name');
  const description = content.get('content-description');
  return {
    type,
    parameters,
    encoding: transferEncoding(content.get('content-transfer-encoding')),
    disposition: disposition ? firstToken(disposition.value) || null : null,
    dispositionParameters: disposition?.parameters ?? NONE,
    filename: filename || null,
    contentId: contentId(content.get('content-id')),
    location: locationIn(content.get('content-location')),
    description: description === undefined ? null : decodeEncodedWords(description).trim() || null,
    charset: parameters.get('charset') || null,
  };
}

export function isLongContentField(name: string, value: string): boolean {
  return value.length > CONTENT_FIELD_BYTES && CONTENT_FIELD.test(name);
}

function parsed(field: string | undefined): ReturnType<typeof parseParameters> | null {
  return field === undefined ? null : parseParameters(field);
}

function contentType(
  field: string | undefined,
  defaultType: string,
): { type: string; parameters: Parameters } {
  if (field === undefined || field.trim() === '') return { type: defaultType, parameters: NONE };
  const { value, parameters } = parseParameters(field);
  const [, type, subtype] = TYPE.exec(value) ?? [];
  if (type && subtype) return { type: `${type}/${subtype}`.toLowerCase(), parameters };
  return { type: BARE_TYPE[firstToken(value)] ?? 'text/plain', parameters };
}

function firstToken(value: string): string {
  return (/[^\s;,"]+/.exec(value)?.[0] ?? '').toLowerCase();
}

function transferEncoding(field: string | undefined): TransferEncoding {
  if (field === undefined) return 'identity';
  const token = /[^\s;,"']+/.exec(withoutComments(field))?.[0] ?? '';
  const letters = token.toLowerCase().replace(/[^a-z\d]/g, '');
  if (letters === 'base64') return 'base64';
  return letters === 'quotedprintable' ? 'quoted-printable' : 'identity';
}

/**
 * The first identifier in angle brackets outside of comments, or the whole value (RFC 5322 section
 * 3.6.4). Blanks are not part of it. Null if empty.
 */
export function identifier(field: string): string | null {
  for (let at = 0; at < field.length; at += 1) {
    const char = field.charAt(at);
    if (char === '(') {
      at = commentEnd(field, at) - 1;
    } else if (char === '<') {
      const end = field.indexOf('>', at);
      return withoutBlanks(field.slice(at + 1, end < 0 ? undefined : end)) || null;
    }
  }
  return withoutBlanks(withoutBlanks(withoutComments(field)).replace(/^<|>$/g, '')) || null;
}

function contentId(field: string | undefined): string | null {
  return field === undefined ? null : identifier(decodeEncodedWords(field));
}

/** A URI can contain parentheses, so only those after a blank or before one begin a comment. */
function locationIn(field: string | undefined): string | null {
  if (field === undefined) return null;
  const uri = decodeEncodedWords(field).trim();
  const bare = uri.replace(/^\([^()]*\)\s/, '').replace(/\s\([^()]*\)$/, '');
  return bare.replace(/\s+/g, '').replace(/^(["'])(.*)\1$/, '$2') || null;
}

/** Whether a part of this type is a mail (RFC 2046 section 5.2.1, RFC 6532 section 3.7). */
export function isEnclosedMail(type: string): boolean {
  return /^message\/(?:rfc822|global)$/.test(type);
}

/** The type of an attachment, with the parameters that text has. */
export function shownType({
  type,
  parameters,
}: Pick<ContentFields, 'type' | 'parameters'>): string {
  if (!type.startsWith('text/')) return type;
  const shown = SHOWN_PARAMETERS.flatMap((name) => {
    const value = parameters.get(name);
    return value && /^[\w.:-]+$/.test(value) ? [`; ${name}=${value}`] : [];
  });
  return type + shown.join('');
}
