import { writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import Mocha from 'mocha';

const { EVENT_RUN_END, EVENT_TEST_FAIL } = Mocha.Runner.constants;
/** A fault that all tests share would otherwise fill the end of the output. */
const MAX_DESCRIBED = 20;

/**
 * mocha's `spec` report. Also writes the two counts to TEST_COUNTS_FILE, if it is set, followed by
 * the title and the error of each failed test, at most 20.
 */
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const file = process.env.TEST_COUNTS_FILE;
    if (!file) return;
    const described: string[] = [];
    runner.on(EVENT_TEST_FAIL, (test: Mocha.Runnable, error: Failure) => {
      if (described.length < MAX_DESCRIBED) described.push(describeFailure(test, error));
    });
    runner.once(EVENT_RUN_END, () => {
      const { passes, failures } = this.stats;
      writeFileSync(file, `${passes} passed, ${failures} failed\n${described.join('')}`);
    });
  }
}

/** An assertion of chai has the two values that differ. */
interface Failure extends Error {
  actual?: unknown;
  expected?: unknown;
}

function describeFailure(test: Mocha.Runnable, error: Failure): string {
  const reason = [error.stack ?? error.message];
  if (error.actual !== undefined || error.expected !== undefined) {
    reason.push(`actual: ${inspect(error.actual)}`, `expected: ${inspect(error.expected)}`);
  }
  return `${test.titlePath().join(' > ')}\n${reason.join('\n').replaceAll(/^/gm, '  ')}\n`;
}
