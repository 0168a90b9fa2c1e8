import { type Browser, chromium } from 'playwright-core';
import { atEndOfRun } from '../mocha/end-of-run.js';

/** A host name that leads to this machine, in a browser alone. */
export const PLAIN_HOST = 'mayfly.test';

let shared: Promise<Browser> | undefined;

/** The browser of all tests of this process. A test closes the contexts that it opens. */
export function sharedBrowser(): Promise<Browser> {
  if (shared === undefined) {
    const launched = launchBrowser();
    shared = launched;
    atEndOfRun(async () => (await launched).close());
  }
  return shared;
}

/** Chromium as Debian installs it, without anything that would ask somebody by itself. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    // Without a UTF-8 locale Chromium does not use file names with other letters.
    env: { ...process.env, LANG: 'C.UTF-8' },
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
      // To a browser a name is no loopback address, whose plain http it trusts.
      `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
    ],
  });
}
