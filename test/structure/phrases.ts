import { readFile, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Phrases that a reader has to read twice, as patterns without regard to case. */
const PHRASES = [
  'what (?:came|comes|became) of',
  '(?:to|can) be had',
  'nothing is to be said',
  'of its own accord',
  'lest',
  'never not',
  'as it was given out',
  'has them all',
  'whoever',
  'worth nothing',
  'not any more',
  'nobody knows',
  'the poorer',
] as const;

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'data', 'coverage']);
const EXTENSION = /(?<!\.gen)\.(?:tsx?|css|html|md|ya?ml|sh)$/;
/** Scripts without an extension. */
const SCRIPT = /^(?:scripts|test)\/[\w-]+$/;
const OWN_FILES = new Set(['test/structure/phrases.ts', 'test/structure/phrases.test.ts']);

/** Between two words: white space, and the start of the next comment line. */
const GAP = String.raw`\s+(?:(?:\*|//|#)\s+)?`;

/** The banned phrases in the text files below `root`, each as `file:line: phrase`. */
export async function bannedPhrases(root: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of textFiles(root, root)) {
    const name = relative(root, path).split(sep).join('/');
    if (!OWN_FILES.has(name)) found.push(...phrasesIn(name, await readFile(path, 'utf8')));
  }
  return found;
}

function phrasesIn(name: string, text: string): string[] {
  return PHRASES.flatMap((phrase) => {
    const pattern = new RegExp(`\\b${phrase.replaceAll(' ', GAP)}\\b`, 'gi');
    return [...text.matchAll(pattern)].map((match) => {
      const line = text.slice(0, match.index).split('\n').length;
      return `${name}:${line}: ${match[0].replace(/[\s*#/]+/g, ' ')}`;
    });
  });
}

async function* textFiles(root: string, folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const isSkipped = SKIPPED_FOLDERS.has(entry.name) || entry.name.startsWith('.');
      if (!isSkipped) yield* textFiles(root, path);
    } else if (EXTENSION.test(entry.name) || SCRIPT.test(relative(root, path))) {
      yield path;
    }
  }
}
