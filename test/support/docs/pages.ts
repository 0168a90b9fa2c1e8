/** The pages of the documentation: tests run what readers copy. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../core/root.ts';

/** A fenced code block. */
export interface Block {
  language: string;
  /** What follows the language: `run`, `example` or `test=FILE`. */
  check: string;
  code: string;
  /** The heading of its section. */
  section: string;
  /** `PAGE:LINE`, for messages. */
  place: string;
}

export interface Page {
  /** From the root of the repository. */
  path: string;
  text: string;
  blocks: Block[];
}

const FENCED = /^( *)```(\w*) ?(.*)\n([^]*?)^\1```$/gm;

const at = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: folder.startsWith('.'), encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

/** Every page. */
export const pages: Page[] = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...at('docs'),
  ...at('.github'),
  'haraka-plugin/README.md',
  'haraka-plugin/patches/README.md',
  'packages/cli/README.md',
  'packages/client/README.md',
  'packages/python/README.md',
  'examples/README.md',
].map(readPage);

export function page(path: string): Page {
  const found = pages.find((one) => one.path === path);
  if (!found) throw new Error(`there is no page ${path}`);
  return found;
}

/** The one block of this language that contains the text. @throws unless there is exactly one. */
export function codeOf(path: string, language: string, containing: string): string {
  const blocks = page(path).blocks.filter(
    (block) => block.language === language && block.code.includes(containing),
  );
  const [block] = blocks;
  if (block === undefined || blocks.length > 1) {
    throw new Error(`${path} has ${blocks.length} blocks of ${language} with "${containing}"`);
  }
  return block.code;
}

function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const blocks = [...text.matchAll(FENCED)].map((match) => {
    const [, indent = '', language = '', check = '', indented = ''] = match;
    const before = text.slice(0, match.index);
    const code = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const section = [...before.matchAll(/^##+ (.+)$/gm)].at(-1)?.[1] ?? '';
    return { language, check, code, section, place: `${path}:${before.split('\n').length}` };
  });
  return { path, text, blocks };
}
