/**
 * Limits the text of an address list (RFC 5322 section 3.4) before the address parser reads it. The
 * address parser reads nested groups repeatedly: 1 MB of `g:` takes 5 s of CPU time.
 */

/**
 * Maximum number of addresses of all fields of one name. Short addresses cost the most per byte: 1
 * MB of `a,` takes 2 s.
 */
export const MAX_ADDRESSES = 2000;

/** The end characters of a quoted string, a comment and an angle address. */
const CLOSERS: Readonly<Record<string, string>> = { '"': '"', '(': ')', '<': '>' };

const SPECIAL = /["()<>[\]:;,\\]/g;

interface Separator {
  index: number;
  /** True for a group inside a group, which RFC 5322 does not allow. */
  isNestedGroup: boolean;
}

export interface AddressList {
  text: string;
  /** Upper bound of the number of addresses in it. */
  entries: number;
}

/**
 * The start of an address list: at most `maxEntries` entries and `maxLength` characters, cut
 * between two entries if possible. Members of a nested group become members of the outer group.
 * Runs in linear time.
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

/**
 * Tokenizes like the address parser: a backslash escapes only inside quotes, and any `;` ends a
 * group.
 */
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
