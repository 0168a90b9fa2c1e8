import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { superviseChild, waitUntilReady } from '../../../core/process/supervise-child.ts';
import { QUESTION, openWatch } from '../../../core/process/watch.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { inherited } from '../../support/process/inherited.ts';

const PROGRAM = fileURLToPath(new URL('hanging-process.ts', import.meta.url));
const TIMES = { everyMs: 100, ticks: 5 };

/** Keeps the asker from its ticks, as a suspended machine does. */
const suspend = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('a supervised process', () => {
  const children: ChildProcess[] = [];
  const lines: string[] = [];
  let stop: () => Promise<void>;
  const last = () => children.at(-1)!;

  beforeEach(async () => {
    children.length = 0;
    lines.length = 0;
    const supervised = superviseChild({
      spawn: () => {
        const child = spawn(process.execPath, [PROGRAM], {
          env: { ...inherited, NODE_ENV: 'test', LOG_LEVEL: 'error' },
          detached: true,
          stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
        });
        children.push(child);
        return child;
      },
      ready: waitUntilReady,
      print: (line) => lines.push(line),
      watchTimes: TIMES,
    });
    ({ stop } = supervised);
    expect(await supervised.started).to.equal(null);
  });
  afterEach(async () => {
    last().kill('SIGCONT');
    await stop();
  });

  for (const [how, signal] of [
    ['loops', 'SIGUSR2'],
    ['is stopped by a signal', 'SIGSTOP'],
  ] as const) {
    it(`that ${how} is killed and started again`, async () => {
      last().kill(signal);
      await eventually('the next one', () => lines.includes('is back'));
      expect(children).to.have.length(2);
      expect(children[0]).to.include({ signalCode: 'SIGKILL' });
      expect(lines).to.include('has not answered for 0.5 s, sending SIGKILL');
    });
  }

  it('has no thread, and lives while its supervisor is suspended or it answers', async () => {
    suspend(TIMES.everyMs * TIMES.ticks * 2);
    await delay(TIMES.everyMs * TIMES.ticks * 2);
    expect(children).to.have.length(1);
    expect(last()).to.include({ exitCode: null, signalCode: null });
    await stop();
    expect(lines.join('\n')).not.to.include('threads');
  });
});

describe('a process without a supervisor', () => {
  it('that hangs is killed by its own thread, which logs it', async () => {
    const child = spawn(process.execPath, [PROGRAM], {
      env: { ...inherited, NODE_ENV: 'test', LOG_PREFIX: 'smtp |' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await eventually('a start', () => output.includes('"message":"ready"'));
    await delay(TIMES.everyMs * TIMES.ticks * 2);
    expect(child.signalCode, 'while it answers').to.equal(null);
    child.kill('SIGUSR2');
    const [, signal] = await once(child, 'close');
    expect(signal).to.equal('SIGKILL');
    const line = output.trim().split('\n').at(-1) ?? '';
    expect(line).to.match(/^smtp \| \{/);
    const fields = JSON.parse(line.slice('smtp | '.length)) as object;
    expect(fields).to.include({ level: 'error', process: 'smtp', pid: child.pid, seconds: 0.5 });
  });
});

describe('a process whose parent has an IPC channel and asks nothing', () => {
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { ...inherited, NODE_ENV: 'test' },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    return { child, output: () => output };
  };

  it('that hangs at once is killed by its own thread', async () => {
    const { child, output } = start('at-once');
    const timer = setTimeout(() => child.kill('SIGABRT'), 60_000);
    const [, signal] = await once(child, 'close');
    clearTimeout(timer);
    expect(signal, output()).to.equal('SIGKILL');
    expect(output()).to.include('process hangs, killing it');
  });

  it('ends its thread when it is asked all the same', async () => {
    const { child, output } = start();
    await eventually('a thread', () => output().includes('threads 1'));
    child.send(QUESTION);
    await eventually('no thread', () => output().includes('threads 0'));
    child.kill();
    expect(await once(child, 'close')).to.deep.equal([0, null]);
  });
});

describe('a watch', () => {
  const hangs = async (answer: (n: number) => { isInspected: boolean } | null) => {
    let asked = 0;
    let found = 0;
    const watch = openWatch(
      { everyMs: 5, ticks: 4 },
      () => {
        const said = answer((asked += 1));
        if (said) {
          setImmediate(() => {
            watch.answered(said);
          });
        }
      },
      () => (found += 1),
    );
    for (let tick = 0; tick < 20; tick += 1) await delay(5);
    watch.stop();
    return found;
  };

  it('finds what has answered before, once', async () => {
    expect(await hangs((n) => (n === 1 ? { isInspected: false } : null))).to.equal(1);
  });

  it('does not judge what has never answered, or can be held by a debugger', async () => {
    expect(await hangs(() => null)).to.equal(0);
    expect(await hangs((n) => (n === 1 ? { isInspected: true } : null))).to.equal(0);
  });
});
