/** A line of a mail as a reader sees it: a paragraph, a table cell, a line of plain text. */
import type { CodeSource } from './types.ts';
import { type Hit, findWords } from './vocabulary.ts';

export interface Block {
  text: string;
  source: CodeSource;
  /** Hidden from the reader, such as the preview line at the top of many newsletters. */
  hidden: boolean;
  /** Part of a quoted mail. */
  quoted: boolean;
  /** Part of the closing section with the legal notice. */
  footer: boolean;
  /** Positions of emphasized text. */
  emphasis: { start: number; end: number }[];
  /** The words of the vocabulary in the text; null until a rule asks for them. */
  words: Hit[] | null;
}

export function newBlock(text: string, source: CodeSource): Block {
  return { text, source, hidden: false, quoted: false, footer: false, emphasis: [], words: null };
}

/** To be called when the text of the block is complete. Each block is searched once. */
export function keywordsOf(block: Block): Hit[] {
  return (block.words ??= findWords(block.text));
}
