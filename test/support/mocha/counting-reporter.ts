import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** mocha's `spec` report. Also writes the two counts to TEST_COUNTS_FILE, if it is set. */
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const file = process.env.TEST_COUNTS_FILE;
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures } = this.stats;
      if (file) writeFileSync(file, `${passes} passed, ${failures} failed\n`);
    });
  }
}
