/**
 * Brings an address list (RFC 5322 sections 3.4 and 4.4) into a form that any address parser reads
 * the same way: without nested groups, nested comments, routes, and blanks around dots and @. The
 * length is limited, because the address parser reads nested groups repeatedly: 1 MB of `g:` takes
 * 5 s of CPU time. Runs in linear time.
 */
import { withoutBlanks } from './header-block.ts';
import { commentEnd, withoutComments } from './parameters.ts';

/**
 * Maximum number of addresses of all fields of one name. Short addresses cost the most per byte: 1
 * MB of `a,` takes 2 s.
 */
export const MAX_ADDRESSES = 2000;

const SPECIAL = /["(<[\],:;]/g;
const QUOTE_END = /["\\]/g;
/** What an address outside of angle brackets has around its dots and its @. */
const LOOSE = /[ \t][.@]|[.@][ \t]/;

export interface AddressList {
  text: string;
  /** Upper bound of the number of addresses in it. */
  entries: number;
  /** True if the list goes on. */
  isCut: boolean;
}

/** One address, with what precedes it. */
interface Entry {
  text: string;
  comments: string[];
  hasAngle: boolean;
}

/**
 * The start of an address list, cut between two entries if possible.
 *
 * @param list one character per byte.
 */
export function firstAddresses(
  list: string,
  maxEntries = MAX_ADDRESSES,
  maxLength = Infinity,
): AddressList {
  let result = '';
  let entries = 0;
  let copied = 0;
  let inGroup = false;
  let inDomainLiteral = false;
  let entry: Entry = { text: '', comments: [], hasAngle: false };
  const take = (to: number) => {
    entry.text += list.slice(copied, to);
    copied = to;
  };
  const finish = (separator: string) => {
    result += written(entry) + separator;
    entry = { text: '', comments: [], hasAngle: false };
    copied += 1;
    entries += 1;
  };
  /** False from an address on in which a quote has no end. */
  let hasQuotes = true;
  const pattern = new RegExp(SPECIAL);
  for (let match = pattern.exec(list); match; match = pattern.exec(list)) {
    const { 0: special, index } = match;
    if (index >= maxLength || entries === maxEntries) break;
    if (special === '"') {
      pattern.lastIndex = quoteEnd(list, index);
    } else if (special === '(') {
      take(index);
      copied = commentEnd(list, index);
      entry.comments.push(list.slice(index + 1, copied));
      entry.text += ' ';
      pattern.lastIndex = copied;
    } else if (special === '<') {
      take(index);
      let end = angleEnd(list, index, hasQuotes);
      if (end === list.length && hasQuotes) {
        hasQuotes = false;
        end = angleEnd(list, index, hasQuotes);
      }
      const angle = list.slice(index + 1, end);
      entry.text += `<${addressIn(hasQuotes ? angle : angle.replaceAll('"', ''))}>`;
      entry.hasAngle = true;
      copied = Math.min(end + 1, list.length);
      pattern.lastIndex = copied;
    } else if (special === '[' || special === ']') {
      inDomainLiteral = special === '[';
    } else if (special === ',' || special === ';') {
      take(index);
      finish(special);
      inDomainLiteral = false;
      if (special === ';') inGroup = false;
    } else if (!inDomainLiteral) {
      take(index);
      if (inGroup) {
        finish(',');
      } else {
        result += `${entry.text}:`;
        entry = { text: '', comments: [], hasAngle: false };
        copied += 1;
      }
      inGroup = true;
    }
  }
  if (entries < maxEntries && list.length <= maxLength) {
    take(list.length);
    finish('');
  } else if (entries === 0) {
    return { text: list.slice(0, maxLength), entries: 1, isCut: true };
  }
  return { text: result, entries, isCut: copied < list.length };
}

/** An address in angle brackets needs no comments; elsewhere a comment is its name. */
function written({ text, comments, hasAngle }: Entry): string {
  if (hasAngle) return text;
  const address = LOOSE.test(text) ? tightened(text) : text;
  return comments.length === 0 ? address : `${address}(${comments.map(flat).join(' ')})`;
}

/** The content of a comment without nested ones and without escapes. */
function flat(comment: string): string {
  return comment.replace(/[()\\]/g, '');
}

function tightened(text: string): string {
  const tight = text.replace(/[ \t]+/g, ' ').replace(/ ?([.@]) ?/g, '$1');
  return /^ ?[^ @]*@[^ ]* ?$/.test(tight) ? tight : text;
}

/** Without comments, blanks outside of quotes, and the route of RFC 5322 section 4.4. */
function addressIn(angle: string): string {
  const address = withoutBlanks(withoutComments(angle));
  const tight = address.includes('"') ? address : address.replace(/[ \t]+/g, '');
  return tight.startsWith('@') ? tight.slice(tight.lastIndexOf(':') + 1) : tight;
}

function quoteEnd(list: string, start: number): number {
  const pattern = new RegExp(QUOTE_END);
  pattern.lastIndex = start + 1;
  for (let match = pattern.exec(list); match; match = pattern.exec(list)) {
    if (match[0] === '"') return match.index + 1;
    pattern.lastIndex = match.index + 2;
  }
  return list.length;
}

/** The offset of the closing bracket outside of quotes and comments, or the end of the list. */
function angleEnd(list: string, start: number, hasQuotes: boolean): number {
  const pattern = hasQuotes ? /["(>]/g : /[(>]/g;
  pattern.lastIndex = start;
  for (let match = pattern.exec(list); match; match = pattern.exec(list)) {
    if (match[0] === '>') return match.index;
    const isQuote = match[0] === '"';
    pattern.lastIndex = isQuote ? quoteEnd(list, match.index) : commentEnd(list, match.index);
  }
  return list.length;
}
