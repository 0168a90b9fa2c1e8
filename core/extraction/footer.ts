/** Marks the closing section of a mail: legal notice, address of the sender, unsubscribe link. */
import { type Block, wordsOf } from './block.ts';

const LEGAL_NOTICE = /©|\([cC]\) ?(?:19|20)\d\d|[aA]ll [rR]ights [rR]eserved|[cC]opyright/;
/** Blocks from the end in which the section can begin. */
const MAX_BLOCKS = 40;
const MAX_BLOCK_LENGTH = 400;

export function markFooter(blocks: Block[]): void {
  const from = Math.max(Math.ceil(blocks.length / 2), blocks.length - MAX_BLOCKS, 1);
  const start = blocks.findIndex((block, at) => at >= from && isFooterStart(block));
  if (start < 0) return;
  for (const block of blocks.slice(start)) block.footer = true;
}

function isFooterStart(block: Block): boolean {
  const { text } = block;
  if (text.length > MAX_BLOCK_LENGTH) return false;
  return LEGAL_NOTICE.test(text) || wordsOf(block).some(({ meaning }) => meaning === 'unsubscribe');
}
