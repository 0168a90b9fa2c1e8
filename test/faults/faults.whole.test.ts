import { expect } from 'chai';
import pLimit from 'p-limit';
import { isLongForm } from '../support/mocha/long-form.ts';
import { allGroups } from './groups.ts';
import { type Result, runGroup } from './harness/run-group.ts';

const SHORT = { connections: 4, pauseMs: 300, largeEvery: 10, around: 6 };

/** Groups run concurrently: most of the time of a group is spent waiting for recovery. */
const GROUPS_AT_ONCE = 4;

/** The short form has the crashes of test/e2e instead. */
const groups = isLongForm ? allGroups : [];

describe('faults', () => {
  const limit = pLimit(GROUPS_AT_ONCE);
  const runs = new Map<string, Promise<Result[] | string>>();
  before(() => {
    for (const group of groups) {
      const faults = group.faults.filter(({ slow }) => !slow);
      const run = limit(
        async () => (await group.cannot?.()) ?? (await runGroup(group, faults, SHORT)),
      );
      run.catch(() => undefined); // the tests of the group report the error
      runs.set(group.title, run);
    }
  });
  after(() => Promise.allSettled(runs.values()));

  for (const group of groups) {
    describe(group.title, () => {
      for (const [index, { id, title }] of group.faults.filter(({ slow }) => !slow).entries()) {
        it(`${id}: ${title}`, async function () {
          const results = await runs.get(group.title)!;
          if (typeof results === 'string') {
            this.test!.title += ` (${results})`;
            this.skip();
          }
          const { wrong, finding } = results[index]!;
          expect(wrong, JSON.stringify(finding)).to.equal(null);
        });
      }
    });
  }
});
