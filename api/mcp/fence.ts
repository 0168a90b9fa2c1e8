/**
 * The words of a sender in a content block of their own. Each line is the fence, the name of a part
 * and the words as a quoted string. The fence is random, so no sender can write such a line.
 */
import { randomBytes } from 'node:crypto';
import { escapeStart } from './escape.ts';

/** Characters of senders in one answer, as they are shown. */
const MAX_CHARACTERS = 4000;
const MAX_LINES = 200;

export class Fence {
  /** 128 bits. */
  readonly id = randomBytes(16).toString('hex');
  readonly #lines: string[] = [];
  #left = MAX_CHARACTERS;

  /** The content block; null without a line. */
  get block(): string | null {
    return this.#lines.length > 0 ? this.#lines.join('\n') : null;
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
   * Adds the lines of a text from an offset on, without empty ones.
   * @returns the offset at which the next answer continues, or null at the end
   */
  addLines(part: string, text: string, offset: number): number | null {
    let at = offset;
    while (at < text.length) {
      if (this.#isFull) return at;
      const [line = ''] = /[^\r\n]*/.exec(text.slice(at, at + MAX_CHARACTERS + 1)) ?? [];
      if (line.trim() === '') {
        at += Math.max(line.length, 1);
        continue;
      }
      const taken = this.add(part, line);
      if (taken === 0) return at;
      at += taken;
    }
    return null;
  }

  get #isFull(): boolean {
    return this.#left <= 0 || this.#lines.length >= MAX_LINES;
  }
}
