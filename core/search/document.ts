/** What a query is tested against: one message, with the parts that its conditions need. */
import type { HeaderField } from '../messages/read-header.ts';
import { type QueryWord, foldWords, tokenize } from './words.ts';

/** The parts that each message has, without its bodies. */
export interface SummaryFields {
  id: string;
  mailbox: { name: string; labels: Record<string, string> };
  tag: string | null;
  receivedAt: Date;
  /** Of the raw mail, in bytes. */
  size: number;
  messageId: string | null;
  subject: string;
  from: { address: string; name: string | null };
  /** Envelope recipients, To and Cc. */
  to: string[];
  cc: string[];
  /** These four are empty for mail that an earlier version stored. */
  replyTo: { address: string; name: string | null }[];
  threadId: string | null;
  listId: string | null;
  /** Of the Date field. */
  date: Date | null;
  hasAttachment: boolean;
  isCaught: boolean;
}

/** A message with parts that are empty unless a condition needs them. */
export interface SearchDocument extends SummaryFields {
  isClaimed: boolean;
  filenames: string[];
  /** Text part, and visible text of the HTML. */
  texts: SearchedText[];
  hasHtml: boolean;
  header: HeaderField[];
}

/** Where words are looked for. */
export interface SearchedText {
  /** Whether the words are in the text in a row. */
  has: (words: readonly QueryWord[]) => boolean;
  /** Drops what the next use makes again. */
  forget: () => void;
}

/** A text in which words are looked for; read, folded and cut into words on first use. */
export class TextField {
  readonly #read: () => string;
  #text: string | null = null;
  #words: string[] | null = null;

  constructor(read: () => string) {
    this.#read = read;
  }

  get text(): string {
    return this.#read();
  }

  /** Drops what was folded and cut; the next use does it again. */
  forget(): void {
    this.#text = null;
    this.#words = null;
  }

  /** Whether the words are in the text in a row. */
  has(words: readonly QueryWord[]): boolean {
    this.#text ??= foldWords(this.#read());
    const text = this.#text;
    // Words are parts of the text, and most texts have not all of them.
    if (!words.every(({ word }) => text.includes(word))) return false;
    this.#words ??= tokenize(text);
    const all = this.#words;
    for (let at = 0; at + words.length <= all.length; at += 1) {
      if (words.every((word, n) => isWord(all[at + n] ?? '', word))) return true;
    }
    return false;
  }
}

function isWord(found: string, { word, isPrefix }: QueryWord): boolean {
  return isPrefix ? found.startsWith(word) : found === word;
}
