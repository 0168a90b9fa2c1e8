import { expect } from 'chai';
import { jobContracts } from '../../core/job-contracts.ts';
import { allJobs } from '../../jobs/index.ts';

describe('Job contracts', () => {
  it('each have a handler that the worker runs', () => {
    const names = (jobs: readonly { name: string }[]) => jobs.map(({ name }) => name).sort();
    expect(names(allJobs)).to.deep.equal(names(jobContracts));
  });
});
