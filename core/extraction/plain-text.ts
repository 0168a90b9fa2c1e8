/** The lines of a plain text part as blocks. */
import { type Block, newBlock } from './block.ts';
import { normalize } from './normalize.ts';

const QUOTED = /^ ?>/;
/** RFC 3676 section 4.3. */
const SIGNATURE = /^-- ?$/;
/** In characters. */
export const MAX_TEXT_LENGTH = 1024 * 1024;

export function readText(text: string): Block[] {
  let isSignature = false;
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .split(/\r\n|\r|\n/)
    .map((line) => normalize(line))
    .flatMap((line) => {
      if (SIGNATURE.test(line)) isSignature = true;
      const content = line.trim();
      if (content === '') return [];
      const block = newBlock(content, 'text');
      block.quoted = QUOTED.test(line);
      block.footer = isSignature;
      return [block];
    });
}
