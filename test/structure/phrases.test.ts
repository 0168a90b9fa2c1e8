import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { tempDir } from '../support/context/temp-dir.ts';
import { faultsOfTexts } from './phrases.ts';

const EXAMPLES = [
  'what came of it',
  'are to be had',
  'Nothing is to be said',
  'of its own accord',
  'lest',
  'never not at all',
  'as it was given out',
  'has them all',
  'whoever',
  'is worth nothing',
  'or not any more',
  'nobody knows',
  'is the poorer for it',
  'a name of ours',
  'a rule sees to it',
  'nothing else is said',
  'what can be told of it',
  'nothing tells',
  'nothing is claimed',
  'a time-out',
  'of look-ups',
  'white space',
  'prolonged',
  'a labelled box',
  'is learnt',
  'towards it',
  'must fulfil it',
  'misbehaviour',
  'neighbours',
  'is honoured',
  'the colour red',
  'is normalised',
  'is reorganised',
];

describe('Banned phrases', () => {
  const dir = tempDir('each');

  const plant = async (path: string, text: string) => {
    await mkdir(dirname(join(dir.path, path)), { recursive: true });
    await writeFile(join(dir.path, path), text);
  };

  it('are found once each', async () => {
    const lines = EXAMPLES.map((example, n) => `export const a${n} = 0; // It says: ${example}.\n`);
    await plant('core/new.ts', lines.join(''));
    const found = await faultsOfTexts(dir.path);
    expect(found.map((fault) => fault.split(': ')[0])).to.deep.equal(
      EXAMPLES.map((_, n) => `core/new.ts:${n + 1}`),
    );
  });

  it('are found in every kind of file', async () => {
    const paths = [
      ...['a.tsx', 'README.md', 'openapi.yaml', 'build.sh', 'scripts/install', 'a.py'],
      ...['app.json', '.github/a.yml', 'scripts/container/build'],
    ];
    for (const path of paths) await plant(path, 'Whoever reads this.\n');
    expect(await faultsOfTexts(dir.path)).to.have.members(
      paths.map((path) => `${path}:1: Whoever`),
    );
  });

  it('are found across the lines of a comment', async () => {
    await plant('core/new.ts', '/**\n * The sweep knows what came\n * of it.\n */\n');
    expect(await faultsOfTexts(dir.path)).to.deep.equal(['core/new.ts:2: what came of']);
  });

  it('are reported with comments above 100 characters, except for directives', async () => {
    const words = 'word '.repeat(30);
    await plant('core/new.ts', `// ${words}\n// oxlint-disable-next-line -- ${words}\n`);
    expect(await faultsOfTexts(dir.path)).to.deep.equal([
      'core/new.ts:1: a comment of 153 characters; wrap it at 100',
    ]);
  });

  it('are reported with lines of the architecture that do not fit a terminal', async () => {
    await plant('docs/architecture.md', `${'x'.repeat(160)}\n${'x'.repeat(161)}\n`);
    await plant('docs/other.md', 'x'.repeat(161));
    expect(await faultsOfTexts(dir.path)).to.deep.equal([
      'docs/architecture.md:2: a line of 161 characters; 160 fit',
    ]);
  });

  it('are not searched for in other words, packages and build output', async () => {
    await plant('core/new.ts', '// The oldest and smallest file.\n');
    await plant('node_modules/some/readme.md', 'Whoever reads this.\n');
    await plant('dist/readme.md', 'Whoever reads this.\n');
    expect(await faultsOfTexts(dir.path)).to.deep.equal([]);
  });
});
