import { type Browser, type Page, chromium } from 'playwright-core';
import { findProgram } from '../../../scripts/supervise/find-program.ts';
import { atEndOfRun } from '../mocha/end-of-run.ts';

/** A host name that the browser resolves to this machine. */
export const PLAIN_HOST = 'mayfly.test';

/**
 * The browser without windows takes half the CPU time of the one that only hides them: 88 s instead
 * of 182 s for the tests of the dashboard.
 */
const CHROMIUM = ['chromium-headless-shell', 'chromium'];

let shared: Promise<Browser> | undefined;

/** The shared browser of all tests of this process. A test closes the contexts that it opens. */
export function sharedBrowser(): Promise<Browser> {
  if (shared === undefined) {
    const launched = launchBrowser();
    shared = launched;
    atEndOfRun(async () => (await launched).close());
  }
  return shared;
}

/** @throws if no Chromium is on PATH. */
export function chromiumPath(): string {
  const path = findProgram(process.env.PATH ?? '', CHROMIUM);
  if (path === null) throw new Error(`Not on PATH: ${CHROMIUM.join(' or ')}. Run scripts/test.`);
  return path;
}

/** Chromium as Debian installs it, without background requests. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(),
    // Without a UTF-8 locale Chromium does not use file names with other letters.
    env: { ...process.env, LANG: 'C.UTF-8' },
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
      // Drawing without a process of its own takes 5 % less CPU time.
      '--in-process-gpu',
      // A browser trusts plain http of loopback addresses, but not of names.
      `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
    ],
  });
}

export async function signIn(page: Page, origin: string, token: string): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel('API token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' });
}
