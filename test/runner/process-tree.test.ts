import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { tempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { run } from '../support/process/programs.ts';
import { readTree } from './process-tree.ts';

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
    await symlink(run('sh', ['-c', 'command -v sh']).trim(), redis);
    const child = await started(redis, ['-c', take(0.1)]);
    const server = tree().servers.get(child.pid ?? 0);
    expect(server?.name).to.equal('redis');
    expect(server?.seconds).to.be.within(0.1, 5);
    await looked('it to wait', () => !tree().isBusy);
    await started('sh', ['-c', 'echo taken; while :; do :; done']);
    await looked('it to be busy', () => tree().isBusy);
  });
});
