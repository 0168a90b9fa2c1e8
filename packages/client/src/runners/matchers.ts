/** The matchers that Vitest and Jest share. */
import type { Inbox, Message, WaitOptions } from '../index.ts';
import { type SnapshotOptions, mailSnapshot } from '../snapshots/mail-snapshot.ts';

/** What a matcher of `expect.extend` resolves to. */
interface Outcome {
  pass: boolean;
  message: () => string;
}

interface State {
  isNot: boolean;
}

/** The matchers as a test calls them. */
export interface InboxMatchers {
  /** A message that matches arrives within `timeout` seconds; with `not`, none does. */
  toHaveReceived: (options?: WaitOptions) => Promise<void>;
  /**
   * The newest message that matches and has a code has this one; with `not`, it has another one, or
   * no such message arrives.
   */
  toHaveReceivedCode: (expected: string | RegExp, options?: WaitOptions) => Promise<void>;
  /**
   * A message equals the snapshot of this test. Codes, dates, ids, recipients and what differs in
   * links are not compared, nor is what matches a pattern of `mask`.
   */
  toMatchMailSnapshot: MatchMailSnapshot;
}

interface MatchMailSnapshot {
  (options?: SnapshotOptions): void;
  (hint: string, options?: SnapshotOptions): void;
}

/** `expect` of Vitest or Jest, as far as it is used. */
type Expect = (actual: string) => { toMatchSnapshot: (hint?: string) => void };

/** The matchers for `expect.extend`. */
export function matchersOf(expect: Expect) {
  return {
    ...waiting,
    toMatchMailSnapshot(this: State, message: Message, ...given: SnapshotArguments): Outcome {
      refuseNot(this.isNot);
      const { hint, options } = namedArguments(given);
      const snapshot = expect(mailSnapshot(message, options));
      // Jest counts the arguments.
      if (hint === undefined) snapshot.toMatchSnapshot();
      else snapshot.toMatchSnapshot(hint);
      return { pass: true, message: () => '' };
    },
  };
}

/** What a test passes to `toMatchMailSnapshot`: a name, options, or both. */
export type SnapshotArguments = [
  hintOrOptions?: string | SnapshotOptions,
  options?: SnapshotOptions,
];

export function namedArguments([first, second]: SnapshotArguments) {
  if (typeof first === 'string' || first === undefined) return { hint: first, options: second };
  return { hint: undefined, options: first };
}

/** @throws {TypeError} for `not`: that a mail has changed somehow is no expectation. */
export function refuseNot(isNot: boolean): void {
  if (isNot) throw new TypeError('toMatchMailSnapshot() cannot be used with "not".');
}

const WITHOUT_MARK = 'Without a mark, it can be the code of an earlier mail.';

const waiting = {
  async toHaveReceived(this: State, inbox: Inbox, options: WaitOptions = {}): Promise<Outcome> {
    checkInbox('toHaveReceived', inbox);
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
    checkInbox('toHaveReceivedCode', inbox);
    let code = '';
    const received = await outcomeOf(
      inbox.waitForCode(options).then((found) => (code = found)),
      '',
    );
    if (!received.pass) return received;
    // A pattern with the flag g or y remembers where its last match ended.
    const pass = typeof expected === 'string' ? code === expected : new RegExp(expected).test(code);
    const wanted = `${this.isNot ? 'another code than ' : ''}${String(expected)}`;
    const hint = options.mark === undefined && !this.isNot ? ` ${WITHOUT_MARK}` : '';
    return { pass, message: () => `Expected ${wanted}, received ${code}.${hint}` };
  },
};

// The inbox and its errors can be of another copy of this package, which has classes of its own.

function checkInbox(matcher: string, inbox: unknown): asserts inbox is Inbox {
  if (typeof inbox === 'object' && inbox !== null && 'waitForCode' in inbox) return;
  const given = typeof inbox === 'string' ? `the string "${inbox}"` : String(inbox);
  throw new TypeError(
    `expect(inbox).${matcher}() takes what mailboxes.create() or mayfly.inbox(name) returns, not ${given}.`,
  );
}

/** Whether the error says what came, or that nothing did. */
function isMiss(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MayflyTimeout') return !('isAnswered' in error) || error.isAnswered === true;
  return error.name === 'MayflyUnexpectedMessage';
}

async function outcomeOf(work: Promise<unknown>, passed: string): Promise<Outcome> {
  try {
    await work;
    return { pass: true, message: () => passed };
  } catch (error) {
    if (isMiss(error)) return { pass: false, message: () => error.message };
    throw error;
  }
}
