/**
 * Replaces what differs between two sends of the same mail: codes, dates, ids, and the parameters
 * of links. Linear in the length of the text.
 */

const CODE = '<code>';
const DATE = '<date>';
const ID = '<id>';
const VALUE = '<value>';

/** Characters of a URL in text or in an attribute. */
const URL_TEXT = /\bhttps?:\/\/[^\s"'<>\\^`{|}]{1,4096}/gi;
/** A part of a URL that is a key: long, with letters and digits. */
const RANDOM = /^(?=.*\d)(?=.*[A-Za-z])[\w.~%-]{12,}$/;

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?';
/** Of any language, between a day and a year. */
const WORD = '(?:de )?\\p{L}{3,12}\\.?(?: de)?';
const ZONE = '(?: ?(?:Z|GMT|UTC|[A-Z]{3,4}\\b|[+-]\\d{2}:?\\d{2}))?(?: \\([A-Z]{1,5}\\))?';
const CLOCK = `\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?: ?[ap]\\.?m\\b\\.?)?${ZONE}`;
const DATES = new RegExp(
  [
    `(?<!\\d)\\d{4}-\\d{2}-\\d{2}(?:[T ]${CLOCK})?(?!\\d)`,
    `(?:\\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\\.?,? )?(?<!\\d)\\d{1,2}(?:st|nd|rd|th)?\\.? ${WORD},? \\d{4}(?!\\d)(?:,? (?:at )?${CLOCK})?`,
    `(?:\\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\\.?,? )?\\b${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}(?:,? (?:at )?${CLOCK})?`,
    `\\d{4}年\\d{1,2}月\\d{1,2}日(?: ?${CLOCK})?`,
    `(?<![\\d./-])\\d{1,2}([./-])\\d{1,2}\\1\\d{2,4}(?![\\d/-])(?:,? ${CLOCK})?`,
    `(?<![\\d:])${CLOCK}(?![\\d:])`,
  ].join('|'),
  'giu',
);
/** Ids of Mayfly, UUIDs (RFC 9562), and hexadecimal numbers of 16 digits and more. */
const IDS =
  /\b[a-z]{3,4}_[0-9a-hjkmnp-tv-z]{26}\b|\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b(?=[a-f]*\d)[0-9a-f]{16,}\b/gi;
/** RFC 5322 section 3.6.4, also of Content-ID. */
const MESSAGE_IDS = /<[^<>@\s]{1,998}@[^<>@\s]{1,998}>/g;

/** @param codes as the mail shows them */
export function mask(text: string, codes: readonly string[]): string {
  const linked = text.replace(URL_TEXT, maskUrl);
  const dated = linked.replace(IDS, ID).replace(DATES, DATE);
  return codes.reduce((masked, code) => masked.replaceAll(code, CODE), dated);
}

export function maskMessageIds(text: string): string {
  return text.replace(MESSAGE_IDS, ID);
}

function maskUrl(url: string): string {
  const start = url.search(/[?#]/);
  const [base, rest] = start < 0 ? [url, ''] : [url.slice(0, start), url.slice(start)];
  const [scheme = '', , host = '', ...path] = base.split('/');
  const shown = [scheme, '', host, ...path.map(maskRandom)].join('/');
  return shown + rest.replace(/[^?&#]+/g, maskParameter);
}

function maskParameter(parameter: string): string {
  const end = parameter.indexOf('=');
  return end < 0 ? maskRandom(parameter) : `${parameter.slice(0, end)}=${VALUE}`;
}

function maskRandom(part: string): string {
  return RANDOM.test(part) ? VALUE : part;
}
