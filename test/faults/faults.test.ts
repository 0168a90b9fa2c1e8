import { expect } from 'chai';
import { type Result, runGroup } from './harness/run-group.js';
import { smtpGroup } from './smtp.js';
import { workerGroup } from './worker.js';

const SHORT = { connections: 4, pauseMs: 100, largeEvery: 10, around: 8 };

for (const group of [smtpGroup, workerGroup]) {
  describe(`faults: ${group.title}`, function () {
    this.timeout(300_000);
    const faults = group.faults.filter(({ slow }) => !slow);
    let results: Result[] = [];
    before(async () => (results = await runGroup(group, faults, SHORT)));

    for (const [index, { id, title }] of faults.entries()) {
      it(`${id}: ${title}`, () => {
        const result = results[index]!;
        expect(result.wrong, JSON.stringify(result.finding)).to.equal(null);
      });
    }
  });
}
