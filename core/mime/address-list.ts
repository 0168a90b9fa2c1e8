/**
 * Bounds on the text of an address list (RFC 5322 section 3.4) before the address parser reads it. The address
 * parser reads a group again for each group inside it: 1 MB of `g:` takes 5 s of CPU time.
 */

/** Addresses read of all fields of one name. Short ones cost the most per byte: 1 MB of `a,` takes 2 s. */
export const MAX_ADDRESSES = 2000;

/** What ends a quoted string, a comment or an angle address. */
const CLOSERS: Readonly<Record<string, string>> = { '"': '"', '(': ')', '<': '>' };

const SPECIAL = /["()<>[\]:;,\\]/g;

interface Separator {
  index: number;
  /** A group begins inside a group, which RFC 5322 does not allow. */
  isNestedGroup: boolean;
}

export interface AddressList {
  text: string;
  /** No fewer than the addresses in it. */
  entries: number;
}

/**
 * The beginning of an address list: at most `maxEntries` entries and `maxLength` characters, cut between two
 * entries where there are two. The members of a group inside a group become members of the outer group.
 * Time is linear in the length.
 */
export function firstAddresses(
  list: string,
  maxEntries = MAX_ADDRESSES,
  maxLength = Infinity,
): AddressList {
  const pieces: string[] = [];
  let copied = 0;
  let entries = 0;
  let end = 0;
  for (const { index, isNestedGroup } of separators(list)) {
    if (index >= maxLength) break;
    end = index + 1;
    if (isNestedGroup) {
      pieces.push(list.slice(copied, index), ',');
      copied = end;
    }
    entries += 1;
    if (entries === maxEntries) break;
  }
  if (entries < maxEntries && list.length <= maxLength) {
    entries += 1;
    end = list.length;
  } else if (end === 0) {
    entries = 1;
    end = maxLength;
  }
  return { text: pieces.join('') + list.slice(copied, end), entries };
}

/** Tokenizes as the address parser does: a backslash escapes in quotes alone, and a group ends at any `;`. */
function* separators(list: string): Generator<Separator> {
  let closer = '';
  let escapedAt = -1;
  let inGroup = false;
  let inDomainLiteral = false;
  for (const { 0: special, index } of list.matchAll(SPECIAL)) {
    if (inGroup && special === ';') {
      closer = '';
    } else if (closer !== '') {
      if (index === escapedAt) continue;
      if (special === closer) closer = '';
      else if (special === '\\' && closer === '"') escapedAt = index + 1;
      continue;
    }
    if (special === ',' || special === ';') {
      yield { index, isNestedGroup: false };
      inDomainLiteral = false;
      if (special === ';') inGroup = false;
    } else if (special === '[' || special === ']') {
      inDomainLiteral = special === '[';
    } else if (inDomainLiteral) {
      continue;
    } else if (special === ':') {
      if (inGroup) yield { index, isNestedGroup: true };
      inGroup = true;
    } else {
      closer = CLOSERS[special] ?? '';
    }
  }
}
