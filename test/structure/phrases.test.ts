import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { tempDir } from '../support/context/temp-dir.ts';
import { faultsOfTexts } from './phrases.ts';

const EXAMPLES =
  'what came of it|are to be had|Nothing is to be said|of its own accord|lest|never not at all|' +
  'as it was given out|has them all|whoever|is worth nothing|or not any more|nobody knows|' +
  'is the poorer for it|a name of ours|a rule sees to it|nothing else is said|' +
  'what can be told of it|nothing tells|nothing is claimed|a time-out|of look-ups|white space|' +
  'prolonged|a labelled box|is learnt|towards it|must fulfil it|misbehaviour|neighbours|' +
  'is honoured|the colour red|is normalised|is reorganised';
const KINDS = [
  ...['a.tsx', 'README.md', 'openapi.yaml', 'build.sh', 'scripts/install', 'a.py', 'app.json'],
  ...['.github/a.yml', 'scripts/container/build'],
];
const WORDS = 'word '.repeat(30);

/** What is planted, and the beginnings of what is found. */
const PLANTED: Record<string, [files: Record<string, string>, faults: string[]]> = {
  'in every kind of file': [
    Object.fromEntries(KINDS.map((path) => [path, 'Whoever reads this.\n'])),
    KINDS.map((path) => `${path}:1: Whoever`),
  ],
  'across the lines of a comment': [
    { 'core/new.ts': '/**\n * The sweep knows what came\n * of it.\n */\n' },
    ['core/new.ts:2: what came of'],
  ],
  'with comments above 100 characters, except for directives': [
    { 'core/new.ts': `// ${WORDS}\n// oxlint-disable-next-line -- ${WORDS}\n` },
    ['core/new.ts:1: a comment of 153 characters; wrap it at 100'],
  ],
  'with lines of the architecture that do not fit a terminal': [
    {
      'docs/architecture.md': `${'x'.repeat(160)}\n${'x'.repeat(161)}\n`,
      'docs/other.md': 'x'.repeat(161),
    },
    ['docs/architecture.md:2: a line of 161 characters; 160 fit'],
  ],
  'not in other words, packages and build output': [
    {
      'core/new.ts': '// The oldest and smallest file.\n',
      'node_modules/some/readme.md': 'Whoever reads this.\n',
      'dist/readme.md': 'Whoever reads this.\n',
    },
    [],
  ],
  'once each': [
    {
      'core/new.ts': EXAMPLES.split('|')
        .map((example, n) => `export const a${n} = 0; // It says: ${example}.\n`)
        .join(''),
    },
    EXAMPLES.split('|').map((_, n) => `core/new.ts:${n + 1}:`),
  ],
};

describe('Banned phrases', () => {
  const dir = tempDir('each');

  for (const [how, [files, faults]] of Object.entries(PLANTED)) {
    it(`are found ${how}`, async () => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(dir.path, path)), { recursive: true });
        await writeFile(join(dir.path, path), text);
      }
      const found = (await faultsOfTexts(dir.path)).sort();
      const wanted = faults.toSorted();
      const begins = found.map((fault, n) => fault.slice(0, wanted[n]?.length));
      expect(begins).to.deep.equal(wanted);
    });
  }
});
