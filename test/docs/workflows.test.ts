import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { ROOT } from '../../core/root.ts';
import { run } from '../support/process/programs.ts';

interface Job {
  strategy?: { matrix: Record<string, unknown[]> };
  steps: { uses?: string; run?: string; if?: string }[];
}

const FOLDER = join(ROOT, '.github/workflows');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** @throws unless a shell can parse it. */
function parsesInShell(code: string): void {
  run('sh', ['-n', '-c', code.replaceAll(/\$\{\{.*?\}\}/g, 'x')]);
}

describe('the workflows', () => {
  for (const file of readdirSync(FOLDER)) {
    const { jobs } = parse(readFileSync(join(FOLDER, file), 'utf8')) as {
      jobs: Record<string, Job>;
    };
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const commands = steps.flatMap((step) => step.run ?? []);

    it(`run scripts that exist in ${file}`, () => {
      expect(commands).not.to.deep.equal([]);
      const named = Object.values(jobs).flatMap((job) => job.strategy?.matrix.script ?? []);
      const written = commands.flatMap((code) =>
        [...code.matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, name]) => name),
      );
      for (const name of [...named, ...written]) expect(scripts).to.have.property(String(name));
      for (const code of commands) {
        for (const [path] of code.matchAll(/\b(?:scripts|dist)\/[\w./-]+/g)) {
          const source = path.replace(/^dist\/(.*)\.js$/, '$1.ts');
          expect(existsSync(join(ROOT, source)), path).to.equal(true);
        }
      }
    });

    it(`are scripts that a shell can parse in ${file}`, () => {
      for (const code of commands) parsesInShell(code);
    });
  }

  /** `test/long packages` runs it. */
  it('of the examples uses the actions of this repository, and starts before it tests', () => {
    const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
    const { jobs } = parse(read('examples/ci/github-actions.yml')) as { jobs: Record<string, Job> };
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    for (const { run: code = '' } of steps) parsesInShell(code);
    expect(steps.map(({ uses }) => uses)).to.include('actions/checkout@v4');
    const order = [/^npm ci$/, /mayfly\.js" up [^]*READY_FILE/, /^npm test$/, /mayfly\.log/];
    const places = order.map((part) => steps.findIndex(({ run: code = '' }) => part.test(code)));
    expect(places).not.to.include(-1);
    expect(steps.at(-1)).to.include({ if: 'failure()' });
  });
});
