/**
 * A fixture for Vitest, matchers, and the end of its tests, before which waits end. Import this
 * file in a set-up file (`setupFiles`) or in a test.
 */
import { now } from './connection/clock.ts';
import { type Mailbox, type Mayfly, createClient } from '@mayfly/client';
import { type TestAPI, afterEach, test as base, beforeEach, expect } from 'vitest';
import { type InboxMatchers, matchersOf } from './runners/matchers.ts';
import { KEPT_SECONDS, ignoreGone, labelsOf } from './runners/test-mailbox.ts';
import { setRunningTest } from './waiting/running-test.ts';

export { expect };

expect.extend(matchersOf(expect));

interface Fixtures {
  mayfly: Mayfly;
  /**
   * A mailbox with the labels `run`, `worker` and `test`. It is deleted when the test passes.
   * Otherwise it stays 15 minutes.
   */
  inbox: Mailbox;
}

export const test: TestAPI<Fixtures> = base.extend<Fixtures>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads the names of fixtures from the pattern.
  mayfly: async ({}, use) => {
    await use(createClient());
  },
  inbox: async ({ mayfly, task }, use) => {
    const inbox = await mayfly.mailboxes.create({
      labels: labelsOf(process.env['VITEST_POOL_ID'] ?? 'main', titlesOf(task)),
      expiresIn: secondsOf(task) + KEPT_SECONDS,
    });
    await use(inbox);
    if (task.result?.state === 'pass') await inbox.delete().catch(ignoreGone);
  },
});

/** A test, a suite or a file of Vitest. */
interface Titled {
  name: string;
  suite?: Titled | undefined;
  file?: Titled;
}

function titlesOf(task: Titled): string[] {
  const above = task.suite ?? task.file;
  return above && above !== task ? [...titlesOf(above), task.name] : [task.name];
}

/** Without a limit, the timeout is 0 or Infinity. */
function secondsOf({ timeout = 0 }: Task): number {
  return Number.isFinite(timeout) ? Math.ceil(timeout / 1000) : 0;
}

/** The part of a test of Vitest that is read. */
interface Task {
  timeout?: number;
  result?: { hooks?: { beforeEach?: string; afterEach?: string } };
}

/**
 * When the tests that run end; null for what has no known end. Tests that run concurrently are
 * several.
 */
const ends = new Map<object, number | null>();

setRunningTest({
  endsAt: () => {
    // Which of several tests waits is unknown: no wait ends before its own.
    let latest: number | null = null;
    for (const end of ends.values()) {
      if (end === null) return null;
      latest = Math.max(latest ?? end, end);
    }
    return latest;
  },
});

beforeEach(({ task }: { task: Task }) => {
  const { timeout = 0 } = task;
  const hooks = task.result?.hooks;
  // The timeout counts from the end of the hooks, of which Vitest notes the state.
  let state = hooks?.beforeEach;
  ends.set(task, null);
  if (hooks && timeout > 0 && timeout < Infinity) {
    Object.defineProperty(hooks, 'beforeEach', {
      configurable: true,
      enumerable: true,
      get: () => state,
      set: (next: string) => {
        state = next;
        ends.set(task, next === 'pass' ? now() + timeout : null);
      },
    });
    let stateAfter = hooks.afterEach;
    Object.defineProperty(hooks, 'afterEach', {
      configurable: true,
      enumerable: true,
      get: () => stateAfter,
      set: (next: string) => {
        stateAfter = next;
        ends.delete(task);
      },
    });
  }
});
// Vitest notes a state of hooks that exist.
afterEach(({ task }) => {
  ends.delete(task);
});

// Vitest 3 to 5 declare their matchers with different parameters, but all have those of Chai.
declare global {
  // oxlint-disable-next-line typescript/no-namespace -- Chai declares its assertions so.
  namespace Chai {
    // oxlint-disable-next-line typescript/no-empty-object-type -- as above
    interface Assertion extends InboxMatchers {}
  }
}
