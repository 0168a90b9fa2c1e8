/** README.md, so that tests run what readers copy. */
import { readFileSync } from 'node:fs';

export const README = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');

/** The one block of this language that contains the text. @throws unless there is exactly one. */
export function readmeCode(language: string, containing: string): string {
  const blocks = [...README.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, named, code]) => named === language && code?.includes(containing))
    .map(([, , code = '']) => code);
  const [code] = blocks;
  if (code === undefined || blocks.length > 1) {
    throw new Error(`README.md has ${blocks.length} blocks of ${language} with "${containing}"`);
  }
  return code;
}
