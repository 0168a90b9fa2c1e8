/** A text in which words and parts are looked for, in the form in which texts are compared. */
import { foldText } from './characters.ts';
import { hasPart } from './has-part.ts';
import { type TextPart, withSpaces } from './text-part.ts';
import { type QueryWord, tokenize } from './words.ts';

export class FoldedText {
  readonly #text: string;
  #folded: string | null;
  #words: string[] | null = null;
  #spaced: string | null = null;

  /** @param folded the same text after {@link foldText}, if it is known; else made on first use */
  constructor(text: string, folded: string | null = null) {
    this.#text = text;
    this.#folded = folded;
  }

  get folded(): string {
    this.#folded ??= foldText(this.#text);
    return this.#folded;
  }

  /** Whether the words are in the text in a row. */
  has(words: readonly QueryWord[]): boolean {
    // Words are parts of the text, and most texts have not all of them.
    if (!words.every(({ word }) => hasPart(this.folded, word))) return false;
    this.#words ??= tokenize(this.folded);
    const all = this.#words;
    for (let at = 0; at + words.length <= all.length; at += 1) {
      if (words.every((word, n) => isWord(all[at + n] ?? '', word))) return true;
    }
    return false;
  }

  contains({ text, isSpaced }: TextPart): boolean {
    if (isSpaced) this.#spaced ??= withSpaces(this.folded);
    return hasPart(isSpaced ? (this.#spaced ?? '') : this.folded, text);
  }

  /** Drops what takes more memory than the text; the next use makes it again. */
  forget(): void {
    this.#words = null;
    this.#spaced = null;
  }
}

function isWord(found: string, { word, isPrefix }: QueryWord): boolean {
  return isPrefix ? found.startsWith(word) : found === word;
}
