/** Programs of users of the packages: ES modules, CommonJS, and TypeScript without exceptions. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../core/root.ts';
import { page } from '../support/docs/pages.ts';
import { CYPRESS } from './cypress.ts';
import { type Machine, mustEqual } from './machine.ts';
import { type Tarballs, makeProject } from './tarballs.ts';

/** The lines of Node.js that the packages support. */
const LINES = [20, 22, 24];

const REQUIRED = `
const { MayflyTimeout, createClient } = require('@mayfly/client');
const { mayflyTasks } = require('@mayfly/client/cypress');
(async () => {
  const inbox = await createClient().mailboxes.create({ expiresIn: 60 });
  const tasks = {};
  mayflyTasks((event, registered) => Object.assign(tasks, registered));
  await inbox.send({ to: [inbox.address], subject: 'Sign in', text: 'Your code is 482913.' });
  const options = { subject: { source: 'sign', flags: 'i' } };
  console.log(await tasks['mayfly:code']({ mailbox: inbox.name, options }));
  const none = await tasks['mayfly:none']({ mailbox: inbox.name, options: { subject: 'x', within: 0 } });
  const error = await inbox.wait({ subject: 'Invoice', timeout: 0 }).catch((reason) => reason);
  console.log(none, error instanceof MayflyTimeout, await tasks['mayfly:delete']({ mailbox: inbox.name }));
})();
`;

const TYPED = `
import {
  type Criteria, type LiveEvent, type Message, MayflyError, createClient, verifyWebhook,
} from '@mayfly/client';
import { mayflyCommands, mayflyTasks } from '@mayfly/client/cypress';
import { expect, test } from '@mayfly/client/playwright';

const criteria: Criteria = { subject: /code/i, header: { 'X-Run': '1' }, since: new Date() };
export async function use(): Promise<string[]> {
  const mayfly = createClient({ url: 'http://localhost:3000', token: 'mf_x' });
  const inbox = await mayfly.mailboxes.create({ labels: { run: '1' } });
  const message: Message = await inbox.wait(criteria);
  const code: string = await inbox.waitForCode({ timeout: 5 });
  const link: string = await inbox.waitForLink('verify', criteria);
  const claim = await inbox.claim({ lease: 60 });
  const end: Date | null = claim.expiresAt;
  for await (const event of mayfly.events()) {
    const told: LiveEvent = event;
    if (told.type === 'message.received') return [told.mailbox, message.id, code, link, String(end)];
  }
  const { data } = await mayfly.api.GET('/api/mailboxes/{name}', { params: { path: { name: 'a' } } });
  const count: number | undefined = data?.messageCount;
  const event = await verifyWebhook('{}', new Headers(), 'whsec_AAAA');
  return [event.message.subject, String(count)];
}
// @ts-expect-error -- there is no such criterion
void createClient().inbox('a').wait({ subjekt: 'x' });
// @ts-expect-error -- there is no such kind
void createClient().inbox('a').waitForLink('blue');
test('typed', async ({ inbox, page }) => {
  await page.goto(await inbox.waitForLink());
  expect(inbox.address).toContain('@');
});
mayflyTasks((_event, _tasks) => undefined);
mayflyCommands();
export const caught = (error: unknown) => (error instanceof MayflyError ? error.code : null);
`;

const STRICT = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022'];
const WAYS = {
  'consumer.mts': ['--module', 'nodenext'],
  'consumer.cts': ['--module', 'nodenext'],
  'consumer.ts': ['--module', 'preserve', '--moduleResolution', 'bundler'],
};

/** Each line of Node.js imports and requires the packages, and runs the samples of their pages. */
export async function checkPrograms(machine: Machine, tarballs: Tarballs): Promise<void> {
  const project = await makeProject(machine, 'consumer', [tarballs.client, tarballs.cli]);
  const [sample] = page('packages/client/README.md').blocks;
  await writeFile(join(project, 'imported.mjs'), sample?.code ?? '');
  await writeFile(join(project, 'required.cjs'), REQUIRED);
  for (const line of LINES) {
    const node = await nodeOf(machine, line);
    const run = (...args: string[]) => machine.run(project, node, ...args);
    mustEqual(await run('imported.mjs'), '482913\n731904\n', 'imported.mjs');
    mustEqual(await run('required.cjs'), '482913\nnull true null\n', 'required.cjs');
    const mayfly = (...args: string[]) => run('node_modules/.bin/mayfly', ...args);
    const address = (await mayfly('mailbox', 'create', '--expires-in', '60')).trim();
    const [name = ''] = address.split('@');
    const mail = ['--to', address, '--subject', 'Sign in', '--text', 'Your code is 482913.'];
    await mayfly('send', '--mailbox', name, ...mail);
    mustEqual(await mayfly('code', '--mailbox', name), '482913\n', 'mayfly code');
    await mayfly('mailbox', 'delete', name);
    process.stdout.write(`Node.js ${line}: import, require and mayfly work\n`);
  }
}

/** The types of the packages compile without skipLibCheck for each kind of module. */
export async function checkTypes(machine: Machine, tarballs: Tarballs): Promise<void> {
  const packages = ['@playwright/test@1.65.1', '@types/node@22.20.5', 'typescript@5.9.3'];
  const project = await makeProject(machine, 'typed', [tarballs.client, ...packages]);
  for (const [file, options] of Object.entries(WAYS)) {
    await writeFile(join(project, file), TYPED);
    const args = [
      ...STRICT,
      '--lib',
      'es2022,dom,dom.iterable',
      '--types',
      'node',
      ...options,
      file,
    ];
    await machine.run(project, 'node_modules/.bin/tsc', ...args);
    process.stdout.write(`${file} compiles with strict types\n`);
  }
}

const CYPRESS_FILES = ['cypress.config.js', 'cypress/support/e2e.js', 'cypress/e2e/sign-up.cy.js'];

/** The Cypress example fits the types of Cypress and of its commands. */
export async function checkCypressTypes(machine: Machine, tarballs: Tarballs): Promise<void> {
  const packages = [`cypress@${CYPRESS}`, '@types/node@22.20.5', 'typescript@5.9.3'];
  // Without a download of its binary.
  const offline = machine.with({ ...machine.env, CYPRESS_INSTALL_BINARY: '0' });
  const project = await makeProject(offline, 'cypress', [tarballs.client, ...packages]);
  for (const file of CYPRESS_FILES) {
    await cp(join(ROOT, 'examples/sign-up', file), join(project, file));
  }
  const types = ['--types', 'node,cypress', '--lib', 'es2022,dom,dom.iterable'];
  const args = [...STRICT, '--allowJs', '--checkJs', ...types, ...WAYS['consumer.ts']];
  await machine.run(project, 'node_modules/.bin/tsc', ...args, ...CYPRESS_FILES);
  process.stdout.write('The Cypress example compiles with the types of Cypress\n');
}

/** The path of a program `node` of this line: that of the machine if it fits, otherwise of npm. */
async function nodeOf({ folder, run }: Machine, line: number): Promise<string> {
  const known = ['/usr/bin/node', process.execPath, join(ROOT, `.node/${line}/bin/node`)];
  const fit = known.find((path) => existsSync(path) && lineOf(path) === line);
  if (fit !== undefined) return fit;
  const name = `node-${process.platform}-${process.arch}`;
  const place = join(folder, `node-${line}`);
  await mkdir(place);
  await run(place, 'npm', 'install', '--no-save', '--prefix', place, `${name}@${line}`);
  return join(place, 'node_modules', name, 'bin/node');
}

function lineOf(path: string): number {
  const { stdout } = spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  return Number.parseInt(stdout, 10);
}
