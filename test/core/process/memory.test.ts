import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);
const MODULE = new URL('../../../core/process/release-memory.ts', import.meta.url);

/** A program of its own: the heap of this process belongs to other tests as well. */
const PROGRAM = `
  import { releaseMemoryWhenIdle } from '${MODULE.href}';
  releaseMemoryWhenIdle(200, 0);
  await new Promise((resolve) => setTimeout(resolve, 1)); // the first collection is over
  let work = Array.from({ length: 2_000_000 }, (_, n) => ({ n }));
  const busy = process.memoryUsage().heapTotal;
  work = null;
  const timer = setInterval(() => {
    if (process.memoryUsage().heapTotal > busy / 2) return;
    console.log('returned');
    clearInterval(timer);
  }, 50);
`;

describe('the memory of a process', () => {
  it('is returned after a burst of work, once the process is idle', async () => {
    const args = ['--input-type=module', '--eval', PROGRAM];
    const { stdout } = await run(process.execPath, args);
    expect(stdout.trim()).to.equal('returned');
  });
});
