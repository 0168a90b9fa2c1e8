import { expect } from 'chai';
import type { Worker } from 'bullmq';
import type { Logger } from '../../core/log.ts';
import { stopWorker } from '../../core/queue/worker.ts';

const DEADLINE_MS = 3_600_000;

describe('the stop of a queue worker', () => {
  it('leaves no timer behind if the close fails, and logs the failure', async () => {
    const warned: unknown[][] = [];
    const log = { warn: (...line: unknown[]) => warned.push(line) } as unknown as Logger;
    const close = () => Promise.reject(new Error('Connection is closed.'));
    const worker = { name: 'expire-messages', close } as unknown as Worker;
    const { clearTimeout: clear } = globalThis;
    const cleared: unknown[] = [];
    globalThis.clearTimeout = (timer) => {
      cleared.push(timer);
      clear(timer);
    };
    try {
      await stopWorker(worker, DEADLINE_MS, log);
    } finally {
      globalThis.clearTimeout = clear;
    }
    expect(cleared).to.have.length(1);
    expect(warned).to.deep.equal([
      ['worker close failed', { queue: 'expire-messages', fault: 'Connection is closed.' }],
    ]);
  });
});
