/**
 * Why a candidate is no code: what it is part of. All patterns look at a few characters around it.
 */
import type { Objection } from '../types.ts';
import { type Meaning, findWords } from '../vocabulary.ts';
import type { CodeCandidate } from './candidates.ts';
import { isMasked } from './masks.ts';

/** In characters on each side. */
const WINDOW = 60;
const CURRENCY =
  '[$€£¥₹₽₩₺₴₫฿₪]|\\b(?:usd|eur|gbp|chf|jpy|cny|inr|brl|kr|sek|nok|dkk|zł|pln|kč|czk|ft|huf|lei|ron|руб|грн|лв|円|元|원|tl|rs|rp)\\b';
/** A currency before a number, with the character before it. */
const CURRENCY_LENGTH = 6;
const AMOUNT_BEFORE = new RegExp(`(?:${CURRENCY})\\.? ?$`, 'iu');
const AMOUNT_AFTER = new RegExp(
  `^(?:[.,]\\d{2}(?!\\d))? ?(?:${CURRENCY}|[円元원](?!\\p{L})|zł|kč|руб|грн|лв)`,
  'iu',
);
const FRACTION_AFTER = /^[.,]\d/;
const FRACTION_BEFORE = /\d[.,]$/;
const VERSION_BEFORE = /(?:\bv(?:er|ersion)?\.? ?|\d\.)$/i;
const DATE_BEFORE = /(?:\d{1,4}[./-]|\d{1,2}[./-]\d{1,2}[./-])$/;
const DATE_AFTER = /^[./-]\d{1,4}(?!\d)/;
const TIME_BEFORE = /\d{1,2}:$/;
const TIME_AFTER = /^:\d{2}/;
const PHONE_BEFORE = /(?:\+\d{0,4}|\+\d[\d ()./-]{0,20}|\(\d{1,5}\)|\d[)./-]|\d{2,5}[ /-])[ ./-]?$/;
const PHONE_AFTER = /^(?:[./-]\d{3}|[ -]\d{3,4}(?!\d))/;
/** What follows an area code in parentheses. Parentheses alone are those of a text. */
const AFTER_AREA_CODE = /^ ?\)[ ./-]?\d[\d ./-]{3}/;
/** State and ZIP code, or a country prefix. */
const POSTAL_BEFORE = /(?:\b[A-Z]{2},? |\b(?:D|A|CH|B|F|L|NL|DK|S|N|FIN|PL|CZ|SK)-)$/;
const COLOR = /^[0-9A-F]{6}(?:[0-9A-F]{2})?$/;
const REFERENCE_BEFORE = /(?:#|№|\bno\.? ?|\bnr\.? ?|\bn°\.? ?)$/i;
/** A word with a mark that ties it to what follows, as in `code=482913`. */
const LABELED = /^[^\p{L}\p{N}]{0,3}([\p{L}-]{2,40})[/=]$/u;
const CODE_WORDS: ReadonlySet<Meaning> = new Set(['code', 'weak']);
const YEAR = /^(?:19|20)\d\d$/;
const YEAR_RANGE = /^\d{4}-\d{4}$/;
/**
 * Compass points and names of techniques: capitals with digits that a mail about codes contains.
 */
const NAMES =
  /^(?:2FA|MFA2|TOTP|HOTP|OTP|OAUTH2?|FIDO2?|U2F|SAML2?|SHA-?\d+|MD5|AES-?\d+|RSA-?\d+|UTF-?\d+|ISO-?\d+|BASE\d+|RFC-?\d+|IPV[46]|HTTP2?|H264|MP[34]|WIN\d+|COVID-?19|SWIFT|IBAN|BIC|IFSC|B2B|B2C|P2P|3D|4K|HTML5?|CSS3|ES\d+|WEB[23]|CODE|PIN|HTTPS?|JSON|HERE|BELOW|ABOVE|LOGIN|EMAIL|MAIL|NOTE|ONLY|THIS|YOUR|FROM|CLICK|WILL|VALID|EXPIRES?|ONCE|NEVER|SHARE|MUST|SENT|WITH|THAT|USED|HAVE|INTO|USER|NAME|AUTH|DATE|TIME)$/;

/** The part of the text that contains the candidate, up to the nearest spaces. */
function runAround(text: string, { start, end }: CodeCandidate): string {
  const from = Math.max(text.lastIndexOf(' ', start - 1) + 1, start - 200, 0);
  const space = text.indexOf(' ', end);
  return text.slice(from, Math.min(space < 0 ? text.length : space, end + 200));
}

/**
 * @param named whether a keyword stands straight before: then years and plain numbers can be codes.
 */
export function objectionTo(
  text: string,
  candidate: CodeCandidate,
  { named }: { named: boolean },
): Objection | null {
  const { value, display, start, end, form } = candidate;
  const before = text.slice(Math.max(0, start - WINDOW), start);
  const after = text.slice(end, end + WINDOW);
  const run = runAround(text, candidate);
  if (NAMES.test(value)) return 'keyword';
  if (/:\/\/|^\(?www\./i.test(run) || isOfPath(run, { before, after, display })) return 'url';
  if (isMasked(text, candidate)) return 'reference';
  if (/[^\s@]@[^\s@]/.test(run)) return 'address';
  if (/^ ?%/.test(after)) return 'percentage';
  if (form === 'mixed') {
    if (before.endsWith('#') && COLOR.test(value)) return 'colour';
    return before.endsWith('#') && !named ? 'reference' : null;
  }
  if (form === 'letters') return null;
  if (AMOUNT_BEFORE.test(before.slice(-CURRENCY_LENGTH)) || AMOUNT_AFTER.test(after))
    return 'amount';
  if (TIME_BEFORE.test(before) || TIME_AFTER.test(after)) return 'time';
  if (before.endsWith('#') && COLOR.test(value) && /colou?r|background/i.test(before))
    return 'colour';
  if (isDate(value, before, after)) return 'date';
  if (VERSION_BEFORE.test(before) && !named) return 'version';
  if (FRACTION_BEFORE.test(before) || FRACTION_AFTER.test(after)) return 'amount';
  if (isPhone(before, after)) return 'phone';
  if (named) return null;
  if (YEAR.test(value) || YEAR_RANGE.test(display)) return 'year';
  if (POSTAL_BEFORE.test(before) && value.length === 5) return 'postalCode';
  return REFERENCE_BEFORE.test(before) ? 'reference' : null;
}

function isPhone(before: string, after: string): boolean {
  if (PHONE_BEFORE.test(before) || PHONE_AFTER.test(after)) return true;
  return before.endsWith('(') && AFTER_AREA_CODE.test(after);
}

/** Part of a path or a query, except `code=482913` and `OTP/482913`. */
function isOfPath(
  run: string,
  { before, after, display }: { before: string; after: string; display: string },
): boolean {
  if (/^_*[/=&]/.test(after)) return true;
  if (!/[/?&=%]$/.test(before)) return false;
  const [, word] = LABELED.exec(run.slice(0, run.indexOf(display))) ?? [];
  return (
    word === undefined || !findWords(`${word}:`).some(({ meaning }) => CODE_WORDS.has(meaning))
  );
}

function isDate(value: string, before: string, after: string): boolean {
  if (value.length === 4) return DATE_BEFORE.test(before) || DATE_AFTER.test(after);
  return (
    value.length === 8 &&
    /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$/.test(value) &&
    /\b\d$|date|datum/i.test(before)
  );
}
