/** A folder that a reader can take in. */
import { dirname } from 'node:path';
import { expect } from 'chai';
import { run } from '../support/process/programs.ts';

const MAX_FILES = 20;
/** Generated, or not ours to arrange. */
const LEFT_OUT = /\.gen\.ts$|\.d\.ts$|^db\/migrations\/|^test\//;

describe('the source files', () => {
  it(`are at most ${MAX_FILES} in a folder`, () => {
    const counts = new Map<string, number>();
    for (const file of run('git', ['ls-files', '*.ts', '*.tsx', '*.mjs']).trim().split('\n')) {
      if (LEFT_OUT.test(file)) continue;
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    }
    expect(counts.size).to.be.above(50);
    expect([...counts].filter(([, count]) => count > MAX_FILES)).to.deep.equal([]);
  });
});
