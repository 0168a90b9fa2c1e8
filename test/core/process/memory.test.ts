import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);
const OURS = new URL('../../../core/process/', import.meta.url);

/** Runs a module in a process of its own, and returns what it prints. */
async function printedBy(source: string): Promise<string> {
  const args = ['--input-type=module', '--eval', source];
  const { stdout } = await run(process.execPath, args, { cwd: import.meta.dirname });
  return stdout.trim();
}

describe('the memory of a process', () => {
  it('is returned after a burst of work, once the process is idle', async () => {
    const printed = await printedBy(`
      import { releaseMemoryWhenIdle } from '${new URL('release-memory.js', OURS).href}';
      releaseMemoryWhenIdle(200);
      let work = Array.from({ length: 2_000_000 }, (_, n) => ({ n }));
      const busy = process.memoryUsage().heapTotal;
      work = null;
      const timer = setInterval(() => {
        if (process.memoryUsage().heapTotal > busy / 2) return;
        console.log('returned');
        clearInterval(timer);
      }, 50);
    `);
    expect(printed).to.equal('returned');
  });
});
