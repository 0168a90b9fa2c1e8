import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { jobContracts } from '../../core/job-contracts.ts';
import { ROOT } from '../../core/root.ts';
import { allJobs } from '../../jobs/index.ts';

const namesOf = (jobs: readonly { name: string }[]) => jobs.map(({ name }) => name).sort();

describe('Job contracts', () => {
  it('each have a handler that the worker runs', () => {
    expect(namesOf(allJobs)).to.deep.equal(namesOf(jobContracts));
  });

  it('each have their name in one place, which others import', () => {
    const names = namesOf(jobContracts);
    const search = ['grep', '--untracked', '-ohE', `'(${names.join('|')})'`];
    const found = execFileSync('git', [...search, '--', 'api', 'core', 'jobs'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(found.trim().replaceAll("'", '').split('\n').sort()).to.deep.equal(names);
  });
});
