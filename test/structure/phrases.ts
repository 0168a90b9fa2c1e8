import { readFile, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/**
 * Phrases that a reader has to read twice, and words with a more common or American form, as
 * patterns without regard to case.
 */
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
  'of ours',
  'sees to it',
  'nothing else is said',
  'can be told of',
  'nothing tells',
  'nothing is claimed',
  'time-outs?',
  'look-ups?',
  'white space',
  'prolong\\w*',
  'labelled',
  'learnt',
  'towards',
  'fulfil',
  '\\w*(?:behavi|neighb)our\\w*',
  'honour(?:s|ed|ing)?',
  // `colour` is a value of the contract.
  String.raw`colour(?:s|ed|ing)?(?![',])`,
  '\\w*(?:author|emphas|initial|normal|optim|organ|recogn|serial|summar)is(?:e[ds]?|ing|ations?)',
] as const;

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'data', 'coverage']);
const EXTENSION = /(?<!\.gen)\.(?:[cm]?[jt]sx?|css|html|md|py|ya?ml|sh)$/;
/** Scripts and other files without an extension, and the description for platforms. */
const SCRIPT = /^(?:(?:scripts|test|packages)\/(?:[\w-]+\/)*[\w-]+|Dockerfile|Procfile|app\.json)$/;
const OWN_FILES = new Set(['test/structure/phrases.ts', 'test/structure/phrases.test.ts']);

/** Characters of a line, as of Prettier, which does not wrap comments. */
const WIDTH = 100;
const SOURCE = /(?<!\.gen)\.[cm]?[jt]sx?$/;
const COMMENT = /^\s*(?:\/\/|\/\*|\*)/;
/** Directives of tools, which take one line. */
const DIRECTIVE = /oxlint-|https?:\/\/\S{60}/;

/** The page that contributors read in a terminal, and the characters of its longest line. */
const TERMINAL_PAGE = 'docs/architecture.md';
const TERMINAL_WIDTH = 160;

/** Between two words: whitespace, and the start of the next comment line. */
const GAP = String.raw`\s+(?:(?:\*|//|#)\s+)?`;

/** The faults of the text files below `root`, as `file:line: fault`. */
export async function faultsOfTexts(root: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of textFiles(root, root)) {
    const name = relative(root, path).split(sep).join('/');
    const text = await readFile(path, 'utf8');
    found.push(...wideComments(name, text), ...wideLines(name, text));
    if (!OWN_FILES.has(name)) found.push(...phrasesIn(name, text));
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
      const isSkipped =
        SKIPPED_FOLDERS.has(entry.name) || (entry.name.startsWith('.') && entry.name !== '.github');
      if (!isSkipped) yield* textFiles(root, path);
    } else if (EXTENSION.test(entry.name) || SCRIPT.test(relative(root, path))) {
      yield path;
    }
  }
}

/** The comment lines above 100 characters in a source file, each as `file:line: fault`. */
function wideComments(name: string, text: string): string[] {
  if (!SOURCE.test(name)) return [];
  return text.split('\n').flatMap((line, index) => {
    if (line.length <= WIDTH || !COMMENT.test(line) || DIRECTIVE.test(line)) return [];
    return [`${name}:${index + 1}: a comment of ${line.length} characters; wrap it at ${WIDTH}`];
  });
}

function wideLines(name: string, text: string): string[] {
  if (name !== TERMINAL_PAGE) return [];
  return text.split('\n').flatMap((line, index) => {
    if (line.length <= TERMINAL_WIDTH) return [];
    return [`${name}:${index + 1}: a line of ${line.length} characters; ${TERMINAL_WIDTH} fit`];
  });
}
