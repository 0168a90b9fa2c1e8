/** Translates searches of Mailpit into those of Mayfly, which compare whole words. */

/** A term with its sign, operator and value. A value in quotes can contain blanks. */
const TERM = /([-!]?)(?:([a-z-]+):)?(?:"([^"]*)"|(\S+))/gi;

/** Mayfly's operators that mean the same. */
const SAME = new Set(['from', 'to', 'cc', 'subject', 'message-id', 'reply-to', 'tag']);
const TIMES = new Set(['before', 'after']);

/** Whether the query is empty, or a term has an empty value: it then matches more than is meant. */
export function isIncomplete(query: string): boolean {
  const values = [...query.matchAll(TERM)].map(([, , , quoted, plain = '']) => quoted ?? plain);
  const isEmpty = (value: string) => /^(?:[a-z-]+:)?["\s]*$/i.test(value);
  return values.length === 0 || values.some(isEmpty);
}

/**
 * The query of Mayfly; null if nothing can match. Text with a colon that is no operator is text.
 * No message is read, since Mayfly keeps no such state.
 */
export function toMayflyQuery(query: string): string | null {
  const terms: string[] = [];
  for (const [whole, sign = '', name, quoted, plain = ''] of query.matchAll(TERM)) {
    const excluded = sign === '' ? '' : '-';
    const operator = name?.toLowerCase() ?? '';
    const value = quoted ?? plain.replaceAll('"', '');
    if (operator === 'is' && /^(?:un)?read$/i.test(value)) {
      if ((value.toLowerCase() === 'read') === (sign === '')) return null;
    } else if (operator === 'has' && /^attachments?$/i.test(value)) {
      terms.push(`${excluded}has:attachment`);
    } else if (operator === 'addressed') {
      terms.push(`${excluded}to:"${value}"`);
    } else if (SAME.has(operator) || TIMES.has(operator)) {
      if (value !== '') terms.push(`${excluded}${operator}:"${value}"`);
    } else {
      const text = whole.slice(sign.length).replaceAll('"', '').trim();
      if (text !== '') terms.push(`${excluded}"${text}"`);
    }
  }
  return terms.join(' ');
}
