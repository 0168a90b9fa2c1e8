/** Matchers for Vitest: import this file in a test or a set-up file. */
import { expect } from 'vitest';
import { type Inbox, MayflyTimeout, MayflyUnexpectedMessage, type WaitOptions } from './index.ts';

/** A matcher of `expect.extend`. */
interface Outcome {
  pass: boolean;
  message: () => string;
}

interface State {
  isNot: boolean;
}

expect.extend({
  async toHaveReceived(this: State, inbox: Inbox, options: WaitOptions = {}): Promise<Outcome> {
    const { timeout, ...rest } = options;
    if (!this.isNot) return outcomeOf(inbox.wait(options), 'The message was received.');
    // Only a settled answer proves that nothing has come.
    const none = inbox.expectNone(timeout === undefined ? rest : { ...rest, within: timeout });
    const { pass, message } = await outcomeOf(none, '');
    return { pass: !pass, message };
  },
  async toHaveReceivedCode(
    this: State,
    inbox: Inbox,
    expected: string | RegExp,
    options: WaitOptions = {},
  ): Promise<Outcome> {
    let code = '';
    const received = await outcomeOf(
      inbox.waitForCode(options).then((found) => (code = found)),
      '',
    );
    if (!received.pass) return received;
    // A pattern with the flag g or y remembers where its last match ended.
    const pass = typeof expected === 'string' ? code === expected : new RegExp(expected).test(code);
    const wanted = `${this.isNot ? 'another code than ' : ''}${String(expected)}`;
    return { pass, message: () => `Expected ${wanted}, received ${code}.` };
  },
});

async function outcomeOf(work: Promise<unknown>, passed: string): Promise<Outcome> {
  try {
    await work;
    return { pass: true, message: () => passed };
  } catch (error) {
    if (error instanceof MayflyTimeout || error instanceof MayflyUnexpectedMessage) {
      return { pass: false, message: () => error.message };
    }
    throw error;
  }
}

interface InboxMatchers {
  /** A message that matches arrives within `timeout` seconds; with `not`, none does. */
  toHaveReceived: (options?: WaitOptions) => Promise<void>;
  /**
   * The oldest message that matches and has a code has this one; with `not`, it has another one, or
   * no such message arrives.
   */
  toHaveReceivedCode: (expected: string | RegExp, options?: WaitOptions) => Promise<void>;
}

declare module 'vitest' {
  /* oxlint-disable typescript/no-unused-vars, typescript/no-empty-object-type -- as Vitest declares it */
  interface Matchers<
    R extends void | Promise<void> = void | Promise<void>,
    T = unknown,
  > extends InboxMatchers {}
}
