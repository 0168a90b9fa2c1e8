/**
 * The words of a sender as lines of their own. Each line is the fence, the name of a part and the
 * words as a quoted string. The fence is random, so no sender can write such a line.
 */
import { randomBytes } from 'node:crypto';
import { PORTION, type Portion } from '../../core/text/shown-lines.ts';

const MAX_LINES = 200;

/**
 * Characters without a shape of their own (controls, zero-width, bidirectional, tag and private-use
 * characters, variation selectors), brackets of Markdown and HTML, and what makes a bare URL a
 * link.
 */
const UNSAFE =
  /["\\]|[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|[[\]<>`]|:(?=\/\/)|(?<=www)\./giu;

const LONGEST_URL = 2048;
/**
 * Characters that WHATWG URLs leave as they are, and that Markdown or a shell can give a meaning.
 */
const ACTIVE = /[[\](){}<>|\\^`'"!*]/g;

export class Fence {
  /** 128 bits. */
  readonly id = randomBytes(16).toString('hex');
  readonly #lines: string[] = [];
  /** Characters of senders that fit into the answer, as they are shown. */
  #left = PORTION;

  get lines(): readonly string[] {
    return this.#lines;
  }

  /**
   * Adds one line, unless the words are empty or the answer is full. Longer words are cut.
   * @param part a fixed name @param most characters, as they are shown
   * @returns how many characters of `words` were taken
   */
  add(part: string, words: string, most = this.#left): number {
    if (words === '' || this.#isFull) return 0;
    const { escaped, taken } = escapeStart(words, Math.min(most, this.#left));
    if (taken === 0) return 0;
    this.#left -= escaped.length;
    const cut = taken < words.length ? ' (cut)' : '';
    this.#lines.push(`${this.id} ${part}: "${escaped}"${cut}`);
    return taken;
  }

  /**
   * Adds the lines of a portion of a text, without empty ones.
   * @returns the offset at which the next answer continues, or null at the end
   */
  addLines(part: string, { lines, next }: Portion): number | null {
    for (const { at, line } of lines) {
      for (let from = 0; from < line.length && line.slice(from).trim() !== '';) {
        if (this.#isFull) return at + from;
        const taken = this.add(part, line.slice(from));
        if (taken === 0) return at + from;
        from += taken;
      }
    }
    return next;
  }

  get #isFull(): boolean {
    return this.#left <= 0 || this.#lines.length >= MAX_LINES;
  }
}

/**
 * Writes a sender's words so that they cannot act on whatever shows or reads them: no line break,
 * no invisible character, no Markdown or HTML link and no picture. Without quotes around them;
 * `\u{...}` names a character by its code point.
 */
export function escapeWords(words: string): string {
  return words.replace(UNSAFE, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    if (character === '\t') return '\\t';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/**
 * The longest start of the words that has at most `most` characters once it is escaped.
 * @returns the escaped start, and its length before it was escaped
 */
export function escapeStart(words: string, most: number): { escaped: string; taken: number } {
  let start = words.slice(0, most);
  for (;;) {
    if (/[\ud800-\udbff]$/.test(start) && start.length < words.length) start = start.slice(0, -1);
    const escaped = escapeWords(start);
    const excess = escaped.length - most;
    if (excess <= 0) return { escaped, taken: start.length };
    // One character becomes 10 at most.
    start = start.slice(0, -Math.ceil(excess / 10));
  }
}

/**
 * The URL in ASCII without characters that Markdown gives a meaning: those are percent-encoded,
 * which servers decode. Null if it is not HTTP, has a user name, or has more than 2,048 characters.
 */
export function plainUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  const { hash, search, pathname, origin } = url;
  const rest = `${pathname}${search}${hash}`.replace(
    ACTIVE,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const plain = `${origin}${rest}`;
  return plain.length <= LONGEST_URL ? plain : null;
}
