/**
 * Runs the files of the Cypress example without Cypress: cypress-stand-in PROJECT. As in Cypress,
 * commands are queued, those of a callback run before the next one, and tasks get and return JSON.
 * The browser is Chromium with Playwright. Prints the titles of the tests that pass.
 */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@mayfly/client';
import type { Locator } from 'playwright-core';
import { launchBrowser } from '../support/browser/launch.ts';

type Tasks = Record<string, (call: unknown) => unknown>;
type Command = (...args: never[]) => unknown;
interface Config {
  e2e: { baseUrl: string; setupNodeEvents: (on: (event: string, added: Tasks) => void) => void };
}

const [project = ''] = process.argv.slice(2);
const load = (file: string): Promise<unknown> => import(pathToFileURL(join(project, file)).href);
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

let queue: (() => Promise<void>)[] = [];

async function runQueue(): Promise<void> {
  for (let command = queue.shift(); command; command = queue.shift()) await command();
}

/** Runs the commands that the function queues before those that follow. */
async function nested<Result>(work: () => Result): Promise<Result> {
  const following = queue;
  queue = [];
  const result = work();
  await runQueue();
  queue = following;
  return result;
}

/** The commands of one chain: each gets the result of the one before. */
class Chain {
  subject: unknown = null;

  next(command: (subject: unknown) => unknown): this {
    queue.push(async () => {
      this.subject = await command(this.subject);
    });
    return this;
  }

  /** A callback, not a promise. */
  then(callback: (subject: unknown) => unknown): this {
    return this.next(async (subject) => {
      await nested(() => void callback(subject));
      return subject;
    });
  }

  click(): this {
    return this.next((subject) => (subject as Locator).click());
  }

  type(text: string): this {
    return this.next(async (subject) => {
      const field = subject as Locator;
      for (const [, enter, plain = ''] of text.matchAll(/(\{enter\})|([^{]+)/g)) {
        if (enter) await field.press('Enter');
        else await field.pressSequentially(plain);
      }
    });
  }
}

const tasks: Tasks = {};
const called = new Set<string>();
const config = ((await load('cypress.config.js')) as { default: Config }).default;
config.e2e.setupNodeEvents((event, added) => {
  strictEqual(event, 'task');
  Object.assign(tasks, added);
});
const registered = Object.keys(tasks);

const browser = await launchBrowser();
const page = await browser.newPage({ baseURL: config.e2e.baseUrl });

const cy = {
  visit: (path: string) => new Chain().next(() => page.goto(path)),
  get: (selector: string) => new Chain().next(() => page.locator(selector)),
  contains: (selector: string, text: string) =>
    new Chain().next(async () => {
      const found = page.locator(selector, { hasText: text });
      await found.waitFor();
      return found;
    }),
  task: (name: string, call: object, { timeout }: { timeout: number }) =>
    new Chain().next(async () => {
      called.add(name);
      const late = pause(timeout, undefined, { ref: false }).then(() => {
        throw new Error(`cy.task(${name}) timed out after ${timeout} ms`);
      });
      const result = await Promise.race([tasks[name]?.(asJson(call)), late]);
      if (result === undefined) throw new Error(`the task ${name} is unknown or returns undefined`);
      deepStrictEqual(asJson(result), result);
      return result;
    }),
} as Record<string, (...args: never[]) => Chain>;

const tests: { title: string; body: () => void }[] = [];
let [beforeEach, afterEach] = [() => {}, () => {}];
Object.assign(globalThis, {
  cy,
  Cypress: {
    Commands: {
      add: (name: string, command: Command) => {
        cy[name] = (...args) =>
          new Chain().next(
            async () => ((await nested(() => [command(...args)]))[0] as Chain).subject,
          );
      },
    },
  },
  beforeEach: (body: () => void) => (beforeEach = body),
  afterEach: (body: () => void) => (afterEach = body),
  it: (title: string, body: () => void) => tests.push({ title, body }),
});
await load('cypress/support/e2e.js');
await load('cypress/e2e/sign-up.cy.js');

const use = (name: string, ...args: unknown[]) => cy[name]!(...(args as never[]));
tests.push({
  title: 'all commands',
  body: () => {
    use('createMailbox', { expiresIn: 300 }).then((created) => {
      const { name, address } = created as { name: string; address: string };
      new Chain().next(() =>
        createClient()
          .inbox(name)
          .send({
            to: [address],
            subject: 'Confirm',
            text: 'Your code is 482913. Or open https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN',
          }),
      );
      const subject = /^confirm$/i;
      use('waitForMail', name, { subject }).then((message) => {
        strictEqual((message as { subject: string }).subject, 'Confirm');
      });
      use('waitForCode', name, { subject }).then((code) => {
        strictEqual(code, '482913');
      });
      use('waitForLink', name, 'verify', { subject }).then((link) => {
        match(String(link), /^https:\/\/shop\.example\/verify/);
      });
      use('expectNoMail', name, { subject: /^welcome$/i, within: 0 });
      use('deleteMailbox', name);
    });
  },
});

try {
  for (const { title, body } of tests) {
    for (const part of [beforeEach, body, afterEach]) await nested(part);
    process.stdout.write(`${title}\n`);
  }
  deepStrictEqual([...called].sort(), registered.sort());
} finally {
  await browser.close();
}
