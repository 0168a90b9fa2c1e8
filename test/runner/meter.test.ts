import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { tempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { run, runBeside } from '../support/process/programs.ts';
import { readRun } from './figures.ts';
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

/** A shell that takes this time, says so, and waits for its standard input to end. */
const take = (seconds: number) =>
  `while [ "$(cut -d' ' -f14 /proc/$$/stat)" -lt ${seconds * 100} ]; do n=0; while [ $n -lt 50000 ]; do n=$((n+1)); done; done; echo taken; read line`;

describe('the CPU time of a process and all below it', () => {
  const dir = tempDir('each');
  const children: ChildProcess[] = [];
  before(function () {
    if (!readTree(process.pid)) this.skip();
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  /** Resolves once it has taken the time. */
  const started = async (program: string, args: string[]) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    children.push(child);
    await once(child.stdout, 'data');
    return child;
  };
  const looked = (what: string, look: () => boolean) => eventually(what, look, 60_000, 200);
  const tree = () => readTree(process.pid) ?? expect.fail('no /proc');

  it('includes processes that run and that have ended', async () => {
    const { seconds: before } = tree();
    const child = await started('sh', [
      '-c',
      `sh -c '${take(0.2).replaceAll("'", `'"'"'`)}'; true`,
    ]);
    expect(tree().seconds - before, 'while it runs').to.be.within(0.2, 5);
    child.stdin.end();
    await once(child, 'close');
    expect(tree().seconds - before, 'after its end').to.be.within(0.2, 5);
  });

  it('has servers apart, and says whether a process wants the processor', async () => {
    const redis = join(dir.path, 'redis-server');
    symlinkSync(run('sh', ['-c', 'command -v sh']).trim(), redis);
    const child = await started(redis, ['-c', take(0.1)]);
    const server = tree().servers.get(child.pid ?? 0);
    expect(server?.name).to.equal('redis');
    expect(server?.seconds).to.be.within(0.1, 5);
    await looked('it to wait', () => !tree().isBusy);
    await started('sh', ['-c', 'echo taken; while :; do :; done']);
    await looked('it to be busy', () => tree().isBusy);
  });
});
