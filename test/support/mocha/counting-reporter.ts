import { writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import Mocha from 'mocha';
import { endLap } from '../../runner/meter.ts';

const { EVENT_RUN_END, EVENT_SUITE_BEGIN, EVENT_TEST_FAIL } = Mocha.Runner.constants;
/** A fault that all tests share would otherwise fill the end of the output. */
const MAX_DESCRIBED = 20;

/**
 * mocha's `spec` report. Also writes the two counts to TEST_COUNTS_FILE, if it is set, followed by
 * the title and the error of each failed test, at most 20.
 */
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    if (options?.parallel !== true) measureFiles(runner);
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

/** In a parallel run the processes of the files measure them. */
function measureFiles(runner: Mocha.Runner): void {
  let current = '';
  const next = (file: string) => {
    if (file !== current) endLap(current);
    current = file;
  };
  runner.on(EVENT_SUITE_BEGIN, ({ parent, file }) => {
    if (parent?.root) next(file ?? '');
  });
  runner.once(EVENT_RUN_END, () => {
    next('');
  });
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
