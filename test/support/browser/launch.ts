import { type Browser, chromium } from 'playwright-core';
import { atEndOfRun } from '../mocha/end-of-run.js';

/** A host name that the browser resolves to this machine. */
export const PLAIN_HOST = 'mayfly.test';

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

/** Chromium as Debian installs it, without background requests. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    // Without a UTF-8 locale Chromium does not use file names with other letters.
    env: { ...process.env, LANG: 'C.UTF-8' },
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
      // A browser trusts plain http of loopback addresses, but not of names.
      `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
    ],
  });
}
