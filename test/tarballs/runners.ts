/** The entries for test runners beside each version of the runners that the package supports. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import { type Tarballs, makeProject } from './tarballs.ts';

const TYPES = ['typescript@5.9.3', '@types/node@22.20.5'];

/** Tests of both runners, whose tests end after 5 s. */
const TESTS = `
const textOf = (work) => work.then(() => 'none', ({ message }) => message);
let inbox;
beforeAll(async () => {
  inbox = await createClient().mailboxes.create({ expiresIn: 60 });
});

test('a wait ends before the test', async () => {
  const text = await textOf(inbox.wait({ subject: 'Invoice' }));
  expect(text).toMatch(/^0 messages for \\S+@\\S+\\nNo message with subject "Invoice" within [34]\\.\\d s: the test ends/);
});
test('a wait ends before a short test', async () => {
  expect(await textOf(inbox.waitForCode())).toMatch(/^0 messages for/);
}, 1700);
test('the absence of mail is shown before the end of the test', async () => {
  await inbox.expectNone();
  expect(await textOf(inbox.expectNone({ within: 10 }))).toContain('The test ends in less than 10 s.');
});
describe('after a hook', () => {
  beforeEach(() => new Promise((done) => setTimeout(done, 2000)));
  test('a wait has the whole time of the test', async () => {
    expect(await textOf(inbox.waitForCode())).toMatch(/No code within [34]\\.\\d s/);
  });
});
test('the matchers wait for mail', async () => {
  await inbox.send({ to: [inbox.address], subject: 'Sign in', text: 'Your code is 482913.' });
  await expect(inbox).toHaveReceived({ subject: 'Sign in' });
  await expect(inbox).toHaveReceivedCode(/^\\d{6}$/g);
  await expect(inbox).not.toHaveReceivedCode('731904');
  await expect(inbox).not.toHaveReceived({ subject: 'Invoice', timeout: 1 });
  expect(await textOf(expect(inbox.address).toHaveReceived())).toContain('not the string "');
  expect(await inbox.wait()).toMatchMailSnapshot();
}, 60_000);
`;

const TYPED = `
test('typed', async () => {
  const inbox = await createClient().mailboxes.create();
  await expect(inbox).toHaveReceived({ subject: 'Welcome' });
  await expect(inbox).not.toHaveReceivedCode(/^\\d{6}$/, { from: '@shop.example' });
  expect(await inbox.wait()).toMatchMailSnapshot();
  // @ts-expect-error -- there is no such criterion
  await expect(inbox).toHaveReceived({ subjekt: 'Welcome' });
});
`;
const CLIENT = "import { createClient } from '@mayfly/client';\n";
const OF_VITEST = `${CLIENT}import '@mayfly/client/vitest';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
`;
const OF_JEST = "const { createClient } = require('@mayfly/client');\n";

interface Runner {
  packages: string[];
  files: Record<string, string>;
  /** The program with its arguments, and the files whose types are compiled. */
  run: string[];
  typed: string[];
}

const vitest = (version: string): Runner => ({
  packages: [`vitest@${version}`],
  files: { 'waits.test.mjs': OF_VITEST + TESTS, 'typed.mts': OF_VITEST + TYPED },
  // In CI, no snapshot is written without the option.
  run: ['vitest', 'run', '--update', 'waits.test.mjs'],
  typed: ['typed.mts'],
});
const jest = (version: string): Runner => ({
  packages: [`jest@${version}`, `@types/jest@${version}`],
  files: {
    'jest.config.json': '{ "setupFilesAfterEnv": ["@mayfly/client/jest"] }',
    'waits.test.js': OF_JEST + TESTS,
    'typed.cts': `${CLIENT}import '@mayfly/client/jest';\n${TYPED}`,
    'imported.cts': `${CLIENT}import '@mayfly/client/jest';\nimport { expect, test } from '@jest/globals';\n${TYPED}`,
  },
  run: ['jest', '--ci=false', 'waits.test.js'],
  typed: ['typed.cts', 'imported.cts'],
});

const RUNNERS: Record<string, Runner> = {
  'Vitest 3': vitest('3'),
  'Vitest 4': vitest('4'),
  'Vitest 5': vitest('5.1.1'),
  'Jest 29': jest('29'),
  'Jest 30': jest('30'),
};

/** Each runner is installed beside the client, runs its matchers, and shows the errors of waits. */
export async function checkRunners(machine: Machine, tarballs: Tarballs): Promise<void> {
  for (const [name, { packages, files, run, typed }] of Object.entries(RUNNERS)) {
    const folder = name.replace(' ', '-').toLowerCase();
    const project = await makeProject(machine, folder, [tarballs.client, ...packages, ...TYPES]);
    for (const [file, text] of Object.entries(files)) await writeFile(join(project, file), text);
    const [program = '', ...args] = run;
    await machine.run(project, `node_modules/.bin/${program}`, ...args);
    const strict = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];
    // The types of Vitest do not compile without it.
    await machine.run(project, 'node_modules/.bin/tsc', ...strict, '--skipLibCheck', ...typed);
    process.stdout.write(`${name}: the matchers and the end of tests work\n`);
  }
}
