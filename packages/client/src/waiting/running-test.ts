/** The test that runs, as far as the entry of its test runner knows it. */
export interface RunningTest {
  /** When the runner ends the test, in milliseconds since 1970; null without a limit. */
  readonly endsAt: () => number | null;
  /** Takes the text of a wait that found nothing, for the report of the test. */
  readonly report?: (text: string) => void;
}

/**
 * A program can load this package twice, by `import` and by `require`, and the entry of the test
 * runner beside either. The global object is what they share.
 */
const KEY = Symbol.for('@mayfly/client running test');
type Shared = typeof globalThis & { [KEY]?: RunningTest | undefined };

/** Waits end before the test, until another one, or none, is set. */
export function setRunningTest(test: RunningTest | undefined): void {
  (globalThis as Shared)[KEY] = test;
}

/** Undefined outside of a test runner whose entry is loaded. */
export function runningTest(): RunningTest | undefined {
  return (globalThis as Shared)[KEY];
}
