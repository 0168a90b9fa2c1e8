import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { tempDir } from '../support/context/temp-dir.ts';
import { runBeside } from '../support/process/programs.ts';
import { readRun } from './laps.ts';
import { readTree } from './process-tree.ts';
import { type Look, waitBetween } from './waits.ts';

describe('what a file of tests takes', () => {
  const dir = tempDir('each');
  before(function () {
    if (!readTree(process.pid)) this.skip();
  });

  for (const [how, args] of Object.entries({
    'in one process': [],
    'in several processes': ['--parallel', '--jobs', '2'],
  })) {
    it(`is measured ${how}`, async () => {
      const plant = (name: string, body: string) => {
        const file = join(dir.path, `${name}.test.mjs`);
        writeFileSync(
          file,
          `import { countStart } from '${ROOT}test/runner/meter.ts';
describe('${name}', () => { before(() => { ${body} }); it('runs', () => {}); });`,
        );
        return file;
      };
      const begins = 'const { user } = process.cpuUsage();';
      const files = [
        plant('busy', `${begins} while (process.cpuUsage().user < user + 500_000);`),
        plant('idle', 'countStart();'),
      ];
      await runBeside(process.execPath, ['node_modules/mocha/bin/mocha.js', ...files, ...args], {
        env: {
          ...process.env,
          MOCHA_WORKER_ID: undefined,
          TEST_USE_FOLDER: dir.path,
          TEST_STAGE: 'a',
        },
      });
      const { laps, loops } = readRun(dir.path);
      const lapOf = (name: string) => {
        const found = laps.filter(({ file }) => file.endsWith(`${name}.test.mjs`));
        expect(found, name).to.have.length(1);
        return found[0];
      };
      expect(lapOf('busy')?.seconds).to.be.within(0.45, 5);
      expect(lapOf('busy')?.starts).to.equal(0);
      expect(lapOf('idle')?.seconds).to.be.below(0.45);
      expect(lapOf('idle')?.starts).to.equal(1);
      const processes = readdirSync(dir.path).filter((name) => name.endsWith('.jsonl')).length;
      expect(loops).to.have.length(processes);
      expect(Math.min(...loops)).to.be.above(0);
    });
  }
});

describe('the time in which a file of tests only waits', () => {
  const tree = { seconds: 7, isBusy: false };
  const before: Look = { atMs: 5000, wantedMs: 0, tree };
  for (const [what, was, now, wait] of [
    ['is that between two looks', {}, {}, 1000],
    ['includes little work', {}, { tree: { ...tree, seconds: 7.2 } }, 1000],
    ['is none if a process below works', {}, { tree: { ...tree, seconds: 7.3 } }, 0],
    ['is none if one wants the processor', {}, { tree: { ...tree, isBusy: true } }, 0],
    ['is none if the process itself has worked', {}, { tree: null }, 0],
    ['is not known after work', { tree: null }, {}, 0],
    ['is none if the look was held up', {}, { atMs: 6600 }, 0],
  ] satisfies [string, Partial<Look>, Partial<Look>, number][]) {
    it(what, () => {
      const later = { ...before, atMs: 6000, ...now };
      expect(waitBetween({ ...before, ...was }, later)).to.equal(wait);
    });
  }
});
