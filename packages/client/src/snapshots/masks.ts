/** Masks what differs from one mail of a template to the next. */
import { looksRandom } from './random-words.ts';
import { maskedUrl } from './urls.ts';

const MONTH =
  '(?:jan|feb|fév|mar|mär|apr|abr|avr|may|mai|mei|maj|mag|jun|juin|giu|jul|juil|lug|aug|ago|aoû|sep|set|oct|okt|out|ott|nov|dec|dez|déc|dic|ene|gen)\\p{L}*\\.?';
const WEEKDAY =
  '(?:(?:mon|tue|wed|thu|fri|sat|sun|die|mit|don|fre|sam|son|lun|mar|mer|jeu|ven|dim|mié|jue|vie|sáb|dom|gio|sab|seg|ter|qua|qui|sex|maa|din|woe|vri|zat|zon)\\p{L}*[.,]*\\s+)?';
const CLOCK =
  '\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:\\s?[ap]\\.?m\\b\\.?)?(?:\\s?(?:Z|UTC|GMT|CES?T|[+-]\\d{2}:?\\d{2})(?![\\p{L}\\d])(?: \\([A-Z]{2,5}\\))?)?';
const AT = `(?:(?:,?\\s+(?:at\\s+|um\\s+|à\\s+)?|T)${CLOCK})?`;
const DAY = '\\d{1,2}(?:st|nd|rd|th|er|º|\\.)?';
const YEAR = '(?:,?\\s+(?:de\\s+)?\\d{4})?';
const START = '(?<![\\p{L}\\d])';
const END = '(?![\\p{L}\\d])';

/** In this order: the first that fits at a position is taken. */
const KINDS: [kind: string, pattern: string][] = [
  ['url', 'https?:\\/\\/[^\\s<>"\'\\])}]+'],
  ['message-id', '<[^\\s<>@"=\\d]*\\d[^\\s<>@"=]*@[^\\s<>"=]+>|(?<=cid:)[^\\s<>"\')]+'],
  ['date', `${START}\\d{4}-\\d{2}-\\d{2}${AT}${END}`],
  ['date', `${START}${WEEKDAY}${DAY}\\s+(?:of\\s+|de\\s+)?${MONTH}${YEAR}${AT}${END}`],
  ['date', `${START}${WEEKDAY}${MONTH}\\s+${DAY}${YEAR}${AT}${END}`],
  ['date', `${START}\\d{1,2}[./]\\d{1,2}[./]\\d{2,4}(?!\\.?\\d)${AT}${END}`],
  ['time', `${START}${CLOCK}${END}`],
  ['uuid', `${START}[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}${END}`],
  ['id', `${START}[a-z]{3,4}_[\\da-z]{26}${END}`],
  ['hex', `${START}[\\da-f]{16,}${END}`],
  ['random', `${START}[A-Za-z\\d_-]{16,}${END}`],
  // Amounts, colors and character references. The length of an amount bounds what is read twice.
  ['kept', `[$€£¥]\\s?\\d[\\d.,]*|\\d[\\d.,]{0,40}\\s?(?:[€£%]|(?:EUR|USD|GBP|CHF)${END})`],
  ['kept', `(?<!\\d)\\d+[.,]\\d+|#[\\da-f]{3,8}${END}`],
  ['code', `${START}(?:[A-Z]{1,3}-)?(?:\\d{3}[ -]\\d{3}|\\d{4,10})${END}`],
  ['code', `${START}(?=[A-Z-]*\\d)[A-Z\\d]{2,5}(?:-[A-Z\\d]{2,5}){1,3}${END}`],
  ['code', `${START}(?:[A-Z]{3}-[A-Z]{3}|[A-Z]{4}-[A-Z]{4}|[A-Z]{5}-[A-Z]{5})${END}`],
  ['code', `${START}(?=[A-Z]*\\d)(?=\\d*[A-Z])[A-Z\\d]{4,10}${END}`],
];

/**
 * A text with placeholders for codes, values in links, dates, times, ids and random words.
 * @param recipients addresses, which become `<recipient>`.
 */
export function masked(text: string, recipients: readonly string[]): string {
  const addresses = recipients.filter(Boolean).map(escaped);
  const kinds = [...KINDS];
  if (addresses.length > 0) kinds.splice(1, 0, ['recipient', addresses.join('|')]);
  const pattern = new RegExp(kinds.map(([, one]) => `(${one})`).join('|'), 'giu');
  return text.replace(pattern, (found: string, ...groups: unknown[]) => {
    const [kind] = kinds[groups.findIndex((group) => group !== undefined)] ?? ['kept'];
    if (kind === 'url') return maskedUrl(found, addresses);
    if (kind === 'kept') return found;
    if (kind === 'random') return looksRandom(found) ? '<random>' : found;
    // Codes are written in capitals.
    return kind === 'code' && found !== found.toUpperCase() ? found : `<${kind}>`;
  });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
