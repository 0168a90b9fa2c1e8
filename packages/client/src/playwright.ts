/** A Playwright fixture: each test that uses `inbox` has a mailbox of its own. */
import { type TestInfo, test as base } from '@playwright/test';
import { type Mailbox, type Mayfly, MayflyError, createClient } from './index.ts';

export { expect } from '@playwright/test';

/** Seconds that a mailbox lives longer than its test may take. */
const LONGER_SECONDS = 60;
/** Less than the shortest lifetime. */
const RENEWAL_MS = 5000;
const WITHOUT_LIMIT_SECONDS = 3600;
const ATTACHED_MAILS = 20;

interface TestFixtures {
  /**
   * A mailbox with the labels `run`, `worker` and `test`. It is deleted when the test passes.
   * Otherwise it stays until it expires, and the report of the test has its mails as `.eml` files.
   */
  inbox: Mailbox;
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
  inbox: async ({ mayfly }, use, info) => {
    const inbox = await mayfly.mailboxes.create({
      labels: labelsOf(info),
      expiresIn: secondsOf(info) + LONGER_SECONDS,
    });
    const renewal = keepAlive(mayfly, inbox, info);
    try {
      await use(inbox);
    } finally {
      clearInterval(renewal);
    }
    if (info.status === info.expectedStatus) await inbox.delete().catch(ignoreGone);
    else await attachMails(inbox, info).catch(ignoreGone);
  },
});

/** A test can extend its timeout while it runs: its mailbox then lives longer too. */
function keepAlive({ api }: Mayfly, { name }: Mailbox, info: TestInfo) {
  let lifetime = secondsOf(info);
  const renew = async () => {
    const wanted = secondsOf(info);
    if (wanted <= lifetime) return;
    const body = { expiresIn: wanted + LONGER_SECONDS };
    await api.PATCH('/api/mailboxes/{name}', { params: { path: { name } }, body });
    lifetime = wanted;
  };
  // A renewal that fails is tried again.
  return setInterval(() => void renew().catch(() => null), RENEWAL_MS);
}

function secondsOf({ timeout }: TestInfo): number {
  return timeout === 0 ? WITHOUT_LIMIT_SECONDS : Math.ceil(timeout / 1000);
}

/** A run in CI has its number; another one that of the process of the runner. */
function labelsOf({ workerIndex, titlePath }: TestInfo): Record<string, string> {
  const { MAYFLY_RUN, GITHUB_RUN_ID } = process.env;
  return {
    run: MAYFLY_RUN ?? GITHUB_RUN_ID ?? `local-${process.ppid}`,
    worker: String(workerIndex),
    test: titlePath
      .join(' > ')
      .replace(/[^ -~]/g, '?')
      .slice(0, 100),
  };
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

/** The test may have deleted its mailbox. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof MayflyError && error.status === 404)) throw error;
}
