/**
 * Reads the parameters of Content-Type and Content-Disposition (RFC 2045 section 5.1) with their
 * continuations and character sets (RFC 2231). Tolerates what senders write: blanks around `=`,
 * missing semicolons, unquoted values with spaces, encoded words, missing quotes. Values are given
 * as one character per byte.
 */
import { withoutBlanks } from './header-block.ts';
import { decodeMixed, decodeRaw, decodeEncodedWords } from '../words.ts';

/** By name in lower case. */
export type Parameters = ReadonlyMap<string, string>;

export interface ParameterField {
  /** What precedes the first parameter, without comments. */
  value: string;
  parameters: Parameters;
}

/** Names that start a parameter where the semicolon before it is missing. */
const KNOWN =
  /[\s,](?=(?:charset|boundary|name|filename|format|delsp|method|type|start|report-type|protocol|micalg|size)(?:\*\d{0,3}\*?)?[ \t]{0,9}=)/i;
/** A name, and `=` if it has a value. Sticky, so that each character is read once. */
const NAME = /[\s;,"=]*([^\s=;,"]*)[ \t]*(=?)[ \t]*/y;
const VALUE = /"((?:[^"\\]|\\.)*)(?:"|$)|([^;]*)/sy;
const SECTION = /^([^*]+)(?:\*(\d{1,9}))?(\*)?$/;
const EXTENDED = /^([^']*)'[^']*'(.*)$/s;
const ESCAPED_PAIR = /\\(.)/gs;

interface Segment {
  order: number;
  text: string;
  /** True for percent-encoded text. */
  isExtended: boolean;
}

export function parseParameters(field: string): ParameterField {
  const text = withoutComments(field);
  const start = parametersStart(text);
  const value = withoutBlanks(text.slice(0, start));
  if (start === text.length) return { value, parameters: new Map() };
  const plain = new Map<string, string>();
  const sections = new Map<string, Segment[]>();
  for (const [name, written] of assignments(text.slice(start))) {
    const [, base = '', order, extended] = SECTION.exec(name) ?? [];
    if (base === '' || (order === undefined && extended === undefined)) {
      if (!plain.has(name)) plain.set(name, decodeEncodedWords(written));
      continue;
    }
    const segments = sections.get(base) ?? [];
    segments.push({
      order: Number(order ?? -1),
      text: written,
      isExtended: extended !== undefined,
    });
    sections.set(base, segments);
  }
  for (const [base, segments] of sections) plain.set(base, joined(segments));
  return { value, parameters: plain };
}

/**
 * Removes comments (RFC 822 section 3.4.3). Parentheses in quotes, and inside an unquoted value
 * such as `filename=Report (1).pdf`, are not comments. An unclosed one reaches to the end.
 */
export function withoutComments(text: string): string {
  if (!text.includes('(')) return text;
  let result = '';
  let copied = 0;
  let isQuoted = false;
  let inValue = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (isQuoted) {
      if (char === '\\') at += 1;
      else if (char === '"') isQuoted = false;
    } else if (char === '"') {
      isQuoted = true;
    } else if (char === '=') {
      inValue = true;
    } else if (char === ';') {
      inValue = false;
    } else if (char === '(') {
      const end = commentEnd(text, at);
      if (inValue && /^[^\s;,"=]/.test(text.slice(end, end + 1))) {
        at = end - 1;
        continue;
      }
      result += text.slice(copied, at);
      copied = end;
      at = end - 1;
    }
  }
  return result + text.slice(copied);
}

/** The offset after the comment that starts at `at`. */
export function commentEnd(text: string, at: number): number {
  let depth = 0;
  for (let end = at; end < text.length; end += 1) {
    const char = text.charAt(end);
    if (char === '\\') end += 1;
    else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    if (depth === 0) return end + 1;
  }
  return text.length;
}

function parametersStart(text: string): number {
  const semicolon = text.indexOf(';');
  const end = semicolon < 0 ? text.length : semicolon;
  const unmarked = KNOWN.exec(text.slice(0, end));
  return unmarked ? unmarked.index : end;
}

/** Names in lower case and values without quotes. */
function* assignments(text: string): Generator<[name: string, value: string]> {
  for (let at = 0; at < text.length;) {
    NAME.lastIndex = at;
    const [all = '', name = '', equals] = NAME.exec(text) ?? [];
    at += Math.max(all.length, 1);
    if (name === '' || !equals) continue;
    VALUE.lastIndex = at;
    const [written = '', quoted, bare = ''] = VALUE.exec(text) ?? [];
    const next = quoted === undefined ? KNOWN.exec(bare) : null;
    at += next ? next.index : written.length;
    yield [
      name.toLowerCase(),
      quoted?.replace(ESCAPED_PAIR, '$1') ?? withoutBlanks(bare.slice(0, next?.index)),
    ];
  }
}

/** RFC 2231 sections 3 and 4.1. Literal segments stay as they are. */
function joined(segments: Segment[]): string {
  const ordered = segments.sort((a, b) => a.order - b.order);
  // `name*` is complete, and preferred to sections of the same name.
  const parts = ordered[0]?.order === -1 ? ordered.slice(0, 1) : ordered;
  if (!parts.some(({ isExtended }) => isExtended)) {
    return decodeEncodedWords(parts.map(({ text }) => text).join(''));
  }
  let charset = 'us-ascii';
  let encoded = '';
  let result = '';
  const flush = () => {
    if (encoded !== '') result += decodeMixed(charset, encoded, unescapePercent);
    encoded = '';
  };
  for (const [n, { text, isExtended }] of parts.entries()) {
    const [, label, value] = (n === 0 && isExtended && EXTENDED.exec(text)) || [];
    if (label) charset = label;
    if (isExtended) {
      encoded += value ?? text;
    } else {
      flush();
      result += decodeRaw(text);
    }
  }
  flush();
  return result;
}

function unescapePercent(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
}
