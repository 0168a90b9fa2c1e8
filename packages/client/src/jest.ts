/**
 * Matchers for Jest, and the end of its tests, before which waits end. List this file in
 * `setupFilesAfterEnv`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { now } from './connection/clock.ts';
import { type InboxMatchers, matchersOf } from './runners/matchers.ts';
import { setRunningTest } from './waiting/running-test.ts';

/** The parts of Jest that are used. */
interface JestGlobals {
  expect: Parameters<typeof matchersOf>[0] & { extend: (matchers: object) => void };
  beforeEach: (hook: () => void) => void;
}

interface CircusTest {
  fn?: ((...args: unknown[]) => unknown) | null;
  timeout?: number | undefined;
}
interface CircusState {
  currentlyRunningTest?: CircusTest | null;
  testTimeout: number;
}

const { expect, beforeEach } = globalThis as unknown as Partial<JestGlobals>; // set by Jest
if (!expect || !beforeEach)
  throw new TypeError(
    'List @mayfly/client/jest in setupFilesAfterEnv of Jest, with injectGlobals.',
  );

expect.extend(matchersOf(expect));

/** When the test ends in which a wait runs. */
const end = new AsyncLocalStorage<number>();
setRunningTest({ endsAt: () => end.getStore() ?? null });

const known = new WeakSet<CircusTest>();

beforeEach(() => {
  const state = stateOfCircus();
  const test = state?.currentlyRunningTest;
  if (!state || !test?.fn || known.has(test)) return;
  known.add(test);
  const { fn } = test;
  // The timeout counts from the call of the function, after the hooks.
  const run = function (this: unknown, ...args: unknown[]) {
    const timeout = test.timeout ?? state.testTimeout;
    return end.run(now() + timeout, () => fn.apply(this, args));
  };
  // Jest passes a callback to a function that has a parameter for it.
  test.fn = Object.defineProperty(run, 'length', { value: fn.length });
});

/**
 * The state of jest-circus, which tells the timeout of a test to nobody else. Undefined in other
 * runners: waits then last as long as without this file.
 */
function stateOfCircus(): CircusState | undefined {
  const key = Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === 'JEST_STATE_SYMBOL',
  );
  return key && (globalThis as unknown as Record<symbol, CircusState>)[key];
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- Jest declares its matchers so.
  namespace jest {
    // oxlint-disable-next-line typescript/no-unused-vars, typescript/no-empty-object-type -- as Jest declares it
    interface Matchers<R, T = {}> extends InboxMatchers {}
  }
}

// oxlint-disable-next-line typescript/ban-ts-comment -- @ts-expect-error fails where the types are
/** @ts-ignore -- of `import { expect } from '@jest/globals'`; a project may not have its types */
declare module 'expect' {
  // oxlint-disable-next-line typescript/no-unused-vars, typescript/no-empty-object-type -- as Jest declares it
  interface Matchers<R extends void | Promise<void>, T = unknown> extends InboxMatchers {}
}
