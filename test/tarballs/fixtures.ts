/** What the fixture for Playwright and the matchers for Vitest do in unusual tests. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from './machine.ts';

/** The timeout of the test is 30 s when its mailbox is created. */
const EXTENDED = `
import { expect, test } from '@mayfly/client/playwright';

test('extends\\tits timeout', async ({ mayfly, inbox }) => {
  test.setTimeout(600_000);
  const left = async () => (Date.parse((await mayfly.mailboxes.get(inbox.name)).expiresAt) - Date.now()) / 1000;
  expect(await left()).toBeLessThan(91);
  await expect.poll(left, { timeout: 60_000 }).toBeGreaterThan(600);
  expect(inbox.labels.test).toContain('extends?its');
});
`;

const MATCHERS = `
import { createClient } from '@mayfly/client';
import '@mayfly/client/vitest';
import { expect, test } from 'vitest';

const inbox = await createClient().mailboxes.create({ expiresIn: 60 });
const SOON = { timeout: 1 };
const failure = (expectation) => expectation.then(() => 'none', ({ message }) => message);

test('a code that does not come', async () => {
  await expect(inbox).not.toHaveReceivedCode('482913', SOON);
  expect(await failure(expect(inbox).toHaveReceivedCode('482913', SOON))).toMatch(/^0 messages for \\S+@\\S+\\nNo code within/);
});

test('a code that comes', async () => {
  await inbox.send({ to: [inbox.address], subject: 'Sign in', text: 'Your code is 482913.' });
  const pattern = /^\\d{6}$/g;
  await expect(inbox).toHaveReceivedCode(pattern);
  await expect(inbox).toHaveReceivedCode(pattern);
  await expect(inbox).not.toHaveReceivedCode('731904');
  expect(await failure(expect(inbox).toHaveReceivedCode('731904')))
    .toBe('Expected 731904, received 482913. Without a mark, it can be the code of an earlier mail.');
  expect(await failure(expect(inbox).not.toHaveReceivedCode('482913')))
    .toBe('Expected another code than 482913, received 482913.');
});
`;

/** @param project the sign-up example, with its packages. */
export async function checkFixtures({ run }: Machine, project: string): Promise<void> {
  await writeFile(join(project, 'extended.spec.js'), EXTENDED);
  await run(project, 'node_modules/.bin/playwright', 'test', 'extended');
  await writeFile(join(project, 'matchers.test.js'), MATCHERS);
  await run(project, 'node_modules/.bin/vitest', 'run', 'matchers.test.js');
  process.stdout.write('The fixture and the matchers work in unusual tests\n');
}
