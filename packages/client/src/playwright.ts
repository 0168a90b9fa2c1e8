/** A Playwright fixture: each test that uses `inbox` has a mailbox of its own. */
import { type TestInfo, expect as baseExpect, test as base } from '@playwright/test';
import { type Mailbox, type Mayfly, type Message, createClient } from './index.ts';
import { type SnapshotArguments, namedArguments, refuseNot } from './runners/matchers.ts';
import { KEPT_SECONDS, ignoreGone, labelsOf } from './runners/test-mailbox.ts';
import { mailSnapshot } from './snapshots/mail-snapshot.ts';
import { setRunningTest } from './waiting/running-test.ts';

export const expect = baseExpect.extend({
  /**
   * A message equals the snapshot of this name, or of this test. Codes, dates, ids, recipients and
   * what differs in links are not compared, nor is what matches a pattern of the option `mask`.
   */
  toMatchMailSnapshot(message: Message, ...given: SnapshotArguments) {
    refuseNot(this.isNot);
    const { hint, options } = namedArguments(given);
    const snapshot = baseExpect(mailSnapshot(message, options));
    if (hint === undefined) snapshot.toMatchSnapshot();
    else snapshot.toMatchSnapshot(hint);
    return { pass: true, message: () => '' };
  },
});

/** Seconds that a mailbox lives longer than its test may take. */
const LONGER_SECONDS = 60;
/** Less than the shortest lifetime. */
const RENEWAL_MS = 5000;
const WITHOUT_LIMIT_SECONDS = 3600;
const ATTACHED_MAILS = 20;

interface TestFixtures {
  /**
   * A mailbox with the labels `run`, `worker` and `test`. It is deleted when the test passes.
   * Otherwise it stays 15 minutes, and the report of the test has its mails as `.eml` files.
   */
  inbox: Mailbox;
  /** Ends waits before the test, and attaches what a wait of a failed test has missed. */
  mayflyWaits: null;
}

interface WorkerFixtures {
  mayfly: Mayfly;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  mayfly: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      await use(createClient());
    },
    { scope: 'worker' },
  ],
  mayflyWaits: [
    // oxlint-disable-next-line no-empty-pattern -- as above
    async ({}, use, info) => {
      const began = Date.now();
      const missed: string[] = [];
      setRunningTest({
        // A test can change its timeout while it runs. Its duration is 0 until its function has
        // ended; what runs after it has a time of its own.
        endsAt: () => (info.timeout === 0 || info.duration > 0 ? null : began + info.timeout),
        report: (text) => void missed.push(text),
      });
      await use(null);
      setRunningTest(undefined);
      if (info.status === info.expectedStatus || missed.length === 0) return;
      await info.attach('mayfly', { body: missed.join('\n\n'), contentType: 'text/plain' });
    },
    { auto: true },
  ],
  inbox: async ({ mayfly }, use, info) => {
    const inbox = await mayfly.mailboxes.create({
      labels: labelsOf(String(info.workerIndex), info.titlePath),
      expiresIn: secondsOf(info) + LONGER_SECONDS,
    });
    const renewal = keepAlive(mayfly, inbox, info);
    try {
      await use(inbox);
    } finally {
      clearInterval(renewal);
    }
    if (info.status === info.expectedStatus) await inbox.delete().catch(ignoreGone);
    else await keepFailed(mayfly, inbox, info).catch(ignoreGone);
  },
});

/** A test can extend its timeout while it runs: its mailbox then lives longer too. */
function keepAlive(mayfly: Mayfly, inbox: Mailbox, info: TestInfo) {
  let lifetime = secondsOf(info);
  const renew = async () => {
    const wanted = secondsOf(info);
    if (wanted <= lifetime) return;
    await expireIn(mayfly, inbox, wanted + LONGER_SECONDS);
    lifetime = wanted;
  };
  // A renewal that fails is tried again.
  return setInterval(() => void renew().catch(() => null), RENEWAL_MS);
}

/** @param seconds from now */
async function expireIn({ api }: Mayfly, { name }: Mailbox, seconds: number): Promise<void> {
  const params = { path: { name } };
  await api.PATCH('/api/mailboxes/{name}', { params, body: { expiresIn: seconds } });
}

function secondsOf({ timeout }: TestInfo): number {
  return timeout === 0 ? WITHOUT_LIMIT_SECONDS : Math.ceil(timeout / 1000);
}

async function keepFailed(mayfly: Mayfly, inbox: Mailbox, info: TestInfo): Promise<void> {
  await expireIn(mayfly, inbox, KEPT_SECONDS);
  await attachMails(inbox, info);
}

async function attachMails(inbox: Mailbox, info: TestInfo): Promise<void> {
  let count = 0;
  for await (const { id, subject } of inbox.messages()) {
    const name = `${subject.replace(/[^\w .-]+/g, '_').slice(0, 60)} ${id}.eml`;
    const body = Buffer.from(await inbox.raw(id));
    await info.attach(name, { body, contentType: 'message/rfc822' });
    count += 1;
    if (count === ATTACHED_MAILS) return;
  }
}
