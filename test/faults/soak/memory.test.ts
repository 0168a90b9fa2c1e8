import { expect } from 'chai';
import { grownMemory } from './memory.ts';

const samplesOf = (web: number[], worker: (number | null)[] = []) =>
  web.map((mib, n) => {
    const other = worker[n];
    return new Map([['web', mib], ...(other == null ? [] : ([['worker', other]] as const))]);
  });
const quarters = (...mib: number[]) => mib.flatMap((each) => Array<number>(5).fill(each));

describe('memory of a soak', () => {
  it('is flat if it grows in the first quarter only', () => {
    expect(grownMemory(samplesOf(quarters(80, 150, 155, 150)))).to.deep.equal([]);
  });

  it('may grow by a quarter and 20 MiB, and no more', () => {
    expect(grownMemory(samplesOf(quarters(80, 100, 120, 145)))).to.deep.equal([]);
    expect(grownMemory(samplesOf(quarters(80, 100, 120, 146)))).to.deep.equal([
      'web grew from 100 to 146 MiB',
    ]);
  });

  it('is judged by medians, because killed processes start small', () => {
    const web = quarters(100, 100, 100, 300);
    web[5] = 10;
    web[19] = 10;
    expect(grownMemory(samplesOf(web))).to.have.length(1);
    const spike = quarters(100, 100, 100, 100);
    spike[18] = 900;
    expect(grownMemory(samplesOf(spike))).to.deep.equal([]);
  });

  it('is judged for each process, also if it is away at times', () => {
    const worker = quarters(50, 60, 70, 400).map((mib, n) => (n % 2 === 0 ? null : mib));
    expect(grownMemory(samplesOf(quarters(90, 90, 90, 90), worker))).to.deep.equal([
      'worker grew from 60 to 400 MiB',
    ]);
  });

  it('is not judged with few samples', () => {
    expect(grownMemory(samplesOf([10, 100, 500, 900]))).to.deep.equal([]);
  });
});
