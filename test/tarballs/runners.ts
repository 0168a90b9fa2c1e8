/** The entries for test runners beside each version of the runners that the package supports. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@mayfly/client';
import { codeOf } from '../support/docs/pages.ts';
import { type Machine, mustEqual } from './machine.ts';
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
  const message = await inbox.wait();
  expect(message).toMatchMailSnapshot();
  expect(message).toMatchMailSnapshot('masked', { mask: [/Welcome/] });
  expect(() => expect(message).toMatchMailSnapshot({ mask: ['Welcome'] })).toThrow('a list of RegExp');
}, 60_000);
`;

const TYPED = `
test('typed', async () => {
  const inbox = await createClient().mailboxes.create();
  await expect(inbox).toHaveReceived({ subject: 'Welcome' });
  await expect(inbox).not.toHaveReceivedCode(/^\\d{6}$/, { from: '@shop.example' });
  expect(await inbox.wait()).toMatchMailSnapshot();
  expect(await inbox.wait()).toMatchMailSnapshot('welcome', { mask: [/Welcome/] });
  // @ts-expect-error -- a text is no pattern
  expect(await inbox.wait()).toMatchMailSnapshot({ mask: ['Welcome'] });
  // @ts-expect-error -- there is no such criterion
  await expect(inbox).toHaveReceived({ subjekt: 'Welcome' });
});
`;

/** Fails, with a mailbox that stays. */
const FIXTURE = `
import { describe } from 'vitest';
import { expect, test } from '@mayfly/client/vitest';
test('a test has a mailbox', async ({ inbox }) => {
  await inbox.send({ to: [inbox.address], subject: 'Sign in', text: 'Your code is 482913.' });
  await expect(inbox).toHaveReceivedCode('482913');
});
test('a test can delete its mailbox', async ({ mayfly, inbox }) => {
  await mayfly.mailboxes.delete(inbox.name);
});
describe('sign-up', () => {
  test('fails', async ({ inbox }) => {
    await inbox.waitForCode();
  }, 2000);
});
`;
const TYPED_FIXTURE = `
import { test as own } from '@mayfly/client/vitest';
own('typed', async ({ mayfly, inbox }) => {
  const codes: string[] = [await inbox.waitForCode(), await mayfly.waitForCode()];
  await expect(inbox).toHaveReceivedCode(codes.join());
  // @ts-expect-error -- there is no such property
  inbox.adress;
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
  /** The arguments that run the tests of the fixture, if the runner has it. */
  fixture?: string[];
}

const vitest = (version: string): Runner => ({
  packages: [`vitest@${version}`],
  files: {
    'waits.test.mjs': OF_VITEST + TESTS,
    'fixture.test.mjs': FIXTURE,
    'typed.mts': OF_VITEST + TYPED + TYPED_FIXTURE,
  },
  // In CI, no snapshot is written without the option.
  run: ['vitest', 'run', 'waits.test.mjs', '--update'],
  typed: ['typed.mts'],
  fixture: ['run', 'fixture.test.mjs'],
});
const jest = (version: string): Runner => ({
  packages: [`jest@${version}`, `@types/jest@${version}`],
  files: {
    'jest.config.json': '{ "setupFilesAfterEnv": ["@mayfly/client/jest"] }',
    'waits.test.js': OF_JEST + TESTS,
    'sample.test.js': codeOf('docs/client.md', 'js', 'afterEach(() => inbox'),
    'typed.cts': `${CLIENT}import '@mayfly/client/jest';\n${TYPED}`,
    'imported.cts': `${CLIENT}import '@mayfly/client/jest';\nimport { expect, test } from '@jest/globals';\n${TYPED}`,
  },
  run: ['jest', '--ci=false', 'waits.test.js', 'sample.test.js'],
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
  for (const [name, { packages, files, run, typed, fixture }] of Object.entries(RUNNERS)) {
    const folder = name.replace(' ', '-').toLowerCase();
    const project = await makeProject(machine, folder, [tarballs.client, ...packages, ...TYPES]);
    for (const [file, text] of Object.entries(files)) await writeFile(join(project, file), text);
    const [program = '', ...args] = run;
    await machine.run(project, `node_modules/.bin/${program}`, ...args);
    if (fixture) await checkFixture(machine, project, `node_modules/.bin/${program}`, fixture);
    const strict = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];
    // The types of Vitest do not compile without it.
    await machine.run(project, 'node_modules/.bin/tsc', ...strict, '--skipLibCheck', ...typed);
    process.stdout.write(`${name}: the matchers and the end of tests work\n`);
  }
  await checkNodeTest(machine, tarballs);
}

async function checkNodeTest(machine: Machine, { client }: Tarballs): Promise<void> {
  const project = await makeProject(machine, 'node-test', [client]);
  const sample = codeOf('docs/client.md', 'js', "from 'node:test'");
  await writeFile(join(project, 'sample.mjs'), sample);
  await machine.run(project, process.execPath, '--test', 'sample.mjs');
  process.stdout.write('The sample for node:test works\n');
}

/** The mailbox of the failed test stays 15 minutes, and no other one. */
async function checkFixture(machine: Machine, project: string, program: string, args: string[]) {
  const run = randomUUID();
  const failure = await machine
    .with({ ...machine.env, MAYFLY_RUN: run, NO_COLOR: '1' })
    .run(project, program, ...args)
    .catch(String);
  if (!/Tests {2}1 failed \| 2 passed/.test(failure) || !failure.includes('the test ends'))
    throw new Error(`Not the last test alone failed:\n${failure}`);
  const { env } = machine;
  const client = createClient({ url: env['MAYFLY_URL'] ?? '', token: env['MAYFLY_TOKEN'] ?? '' });
  const [left, ...others] = await client.mailboxes.list({ labels: { run } });
  mustEqual(others.length, 0, 'the mailboxes of tests that passed');
  mustEqual(left?.labels['test'], 'fixture.test.mjs > sign-up > fails', 'the mailbox that is left');
  const seconds = (Date.parse(left?.expiresAt ?? '') - Date.now()) / 1000;
  mustEqual(seconds > 840 && seconds < 910, true, 'the lifetime of the mailbox of a failed test');
}
