/** Collects text into blocks: one for each paragraph, table cell or line. */
import type { TextStyle } from '../../text/walk-html.ts';
import { type Block, newBlock } from '../block.ts';
import { normalizeLine } from '../normalize.ts';

/** Siblings with one character each that are read as one word, such as a code in boxes. */
const BOXES = { least: 4, most: 8 };
/** Emphasized parts of a block; emphasis of more says nothing. */
const MAX_EMPHASIZED = 50;
const ONE_CHARACTER = /^[A-Z0-9]$/;

export class BlockBuilder {
  readonly #blocks: Block[] = [];
  #pieces: { text: string; style: TextStyle }[] = [];
  #seenVisible = false;

  add(text: string, style: TextStyle): void {
    if (text !== '') this.#pieces.push({ text, style });
  }

  /** Position of the block being built; the blocks of boxes are joined only at the end. */
  get position(): number {
    return this.#blocks.length;
  }

  /** Ends the line. Hidden text counts only above the first visible text. */
  end(): void {
    const pieces = this.#pieces;
    if (pieces.length === 0) return;
    this.#pieces = [];
    const visible = pieces.filter(({ style }) => !style.hidden);
    const isVisible = visible.some(({ text }) => /\S/.test(text));
    if (!isVisible && this.#seenVisible) return;
    const block = build(isVisible ? visible : pieces);
    if (block.text === '') return;
    block.hidden = !isVisible;
    if (isVisible) this.#seenVisible = true;
    this.#blocks.push(block);
  }

  /** The blocks, with each run of boxes as the first block of its place and the others empty. */
  finish(): Block[] {
    this.end();
    const blocks = this.#blocks;
    for (let from = 0; from < blocks.length; from++) {
      let to = from;
      while (isBox(blocks[to])) to++;
      if (to - from < BOXES.least) continue;
      const boxes = blocks.slice(from, to);
      const [first, ...others] = boxes;
      if (first && boxes.length <= BOXES.most) {
        first.text = boxes.map(({ text }) => text).join('');
        first.emphasis = [{ start: 0, end: first.text.length }];
        for (const other of others) other.text = '';
      }
      from = to;
    }
    return blocks;
  }
}

function isBox(block: Block | undefined): boolean {
  return block?.text.length === 1 && ONE_CHARACTER.test(block.text);
}

/** Joins the pieces only once: a look at a string while it grows copies it each time. */
function build(pieces: { text: string; style: TextStyle }[]): Block {
  const block = newBlock('', 'html');
  const parts: string[] = [];
  let length = 0;
  let endsWithSpace = true;
  for (const { text, style } of pieces) {
    const plain = normalizeLine(text);
    const part: string = endsWithSpace && plain.startsWith(' ') ? plain.slice(1) : plain;
    if (part === '') continue;
    if (style.emphasized && part.trim() !== '' && block.emphasis.length < MAX_EMPHASIZED) {
      block.emphasis.push({ start: length, end: length + part.length });
    }
    parts.push(part);
    length += part.length;
    endsWithSpace = part.endsWith(' ');
  }
  block.text = parts.join('').trimEnd();
  block.quoted = pieces.every(({ style }) => style.quoted);
  return block;
}
