/** The text around a link: the end of the two blocks before it, and the start of its own. */
import { type Block, keywordsOf } from '../block.ts';
import { type Hit, LONGEST_WORD, findWords } from '../vocabulary.ts';

export interface LinkContext {
  /** The words of the vocabulary in the text, in order of their start. */
  words: () => Hit[];
}

/** Of each block. */
const MAX_LENGTH = 400;
const SEPARATOR = ' ';

export function contextOf(blocks: Block[], at: number): LinkContext {
  let words: Hit[] | null = null;
  return { words: () => (words ??= wordsAround(blocks, at)) };
}

/** The text of a link that is in no block. */
export function contextOfText(text: string): LinkContext {
  return { words: () => findWords(text) };
}

interface Piece {
  text: string;
  words: Hit[];
}

/**
 * Same as a search of the pieces joined by spaces: the words of each piece, most of which are known
 * already, and the phrases that go from one to the next.
 */
function wordsAround(blocks: Block[], at: number): Hit[] {
  const before = blocks.slice(Math.max(0, at - 2), at);
  const own = blocks[at];
  const pieces = [
    ...before.map((block) => pieceOf(block, -MAX_LENGTH)),
    own ? pieceOf(own, 0, MAX_LENGTH) : { text: '', words: [] },
  ];
  const text = pieces.map((piece) => piece.text).join(SEPARATOR);
  const words: Hit[] = [];
  let start = 0;
  for (const piece of pieces) {
    if (start > 0) {
      for (const hit of wordsAcross(text, start - SEPARATOR.length)) words.push(hit);
    }
    for (const hit of piece.words) words.push(moved(hit, start));
    start += piece.text.length + SEPARATOR.length;
  }
  return words.sort((one, other) => one.start - other.start || other.end - one.end);
}

function pieceOf(block: Block, ...part: [number, number?]): Piece {
  const { text } = block;
  if (text.length <= MAX_LENGTH) return { text, words: keywordsOf(block) };
  const cut = text.slice(...part);
  return { text: cut, words: findWords(cut) };
}

/** The words that begin before a separator and end after it. The window has one character more. */
function wordsAcross(text: string, separator: number): Hit[] {
  const from = Math.max(0, separator - LONGEST_WORD - 1);
  const window = text.slice(from, separator + LONGEST_WORD + 1);
  return findWords(window)
    .map((hit) => moved(hit, from))
    .filter(({ start, end }) => start < separator && end > separator);
}

function moved(hit: Hit, by: number): Hit {
  return { ...hit, start: hit.start + by, end: hit.end + by };
}
