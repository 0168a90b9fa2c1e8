/** The examples, copied outside the repository, with the packed client. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { registerWebhookAt } from './register-webhook.js';
import { ROOT } from '../support/docs/pages.js';
import { startProgram } from '../support/process/programs.js';
import { freePort } from '../support/servers/free-port.js';
import { eventually } from '../support/mocha/eventually.js';
import type { Machine } from './machine.js';
import type { Tarballs } from './tarballs.js';

const FAILING = `
import { expect, test } from '@mayfly/client/playwright';

test('fails', async ({ inbox }) => {
  await inbox.send({ to: [inbox.address], subject: 'The mail of a failure', text: 'x' });
  expect((await inbox.wait()).subject).toBe('Another');
});
`;
const PYTHON_PATH = join(ROOT, 'packages/python/src');

/** A copy of an example with its packages. @returns its folder. */
export async function copyExample(
  { folder, run }: Machine,
  name: string,
  { client }: Tarballs,
): Promise<string> {
  const project = join(folder, name);
  await cp(join(ROOT, 'examples', name), project, { recursive: true });
  const file = join(project, 'package.json');
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text.replace('"@mayfly/client": "0.1.0"', `"@mayfly/client": "file:${client}"`),
  );
  await run(
    project,
    'npm',
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
  );
  return project;
}

export async function checkSignUp(machine: Machine, tarballs: Tarballs): Promise<void> {
  const project = await copyExample(machine, 'sign-up', tarballs);
  const port = await freePort();
  machine.env['APP_PORT'] = String(port);
  await machine.run(project, 'node_modules/.bin/vitest', 'run', 'sign-up.test.js');
  process.stdout.write('The sign-up example works with Vitest\n');
  const playwright = (...args: string[]) =>
    machine.run(project, 'node_modules/.bin/playwright', 'test', ...args);
  await playwright('sign-up', '--repeat-each=4', '--workers=2');
  process.stdout.write('The sign-up example works with Playwright\n');

  await writeFile(join(project, 'fails.spec.js'), FAILING);
  const failure = await playwright('fails', '--reporter=json').catch(String);
  if (!/"name": "The mail of a failure msg_\w+\.eml"/.test(failure)) {
    throw new Error(`the report of a failed test has no .eml:\n${failure}`);
  }
  process.stdout.write('A failed test of Playwright has its mails as .eml files\n');

  const server = startProgram('node', [join(project, 'server.js')], machine.env);
  await eventually('the application', () => server.output().includes('http://'));
  machine.env['PYTHONPATH'] = PYTHON_PATH;
  const args = ['-m', 'pytest', '-q', '-p', 'mayfly_mail.pytest_plugin', 'test_sign_up.py'];
  await machine.run(project, 'python3', ...args).finally(() => server.stop());
  process.stdout.write('The sign-up example works with pytest\n');
}

export async function checkReceivers(machine: Machine, tarballs: Tarballs): Promise<void> {
  const project = await copyExample(machine, 'webhooks', tarballs);
  const programs = {
    Express: ['node', 'express-receiver.js'],
    Flask: ['python3', 'flask_receiver.py'],
  };
  for (const [name, [program = '', file = '']] of Object.entries(programs)) {
    const port = await freePort();
    const hook = await registerWebhookAt(machine, `http://127.0.0.1:${port}/hooks`);
    const env = {
      ...machine.env,
      PYTHONPATH: PYTHON_PATH,
      SECRET: hook.secret,
      RECEIVER_PORT: `${port}`,
    };
    const receiver = startProgram(program, [join(project, file)], env);
    try {
      const reach = () => fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST' });
      const unsigned = await eventually(name, () => reach().catch(() => null));
      if (unsigned.status !== 401) throw new Error(`${name} accepts a request without signature`);
      await hook.send('First mail');
      await eventually(`the webhook in ${name}`, () => receiver.output().includes(': First mail'));
    } finally {
      await receiver.stop();
    }
    process.stdout.write(`The receiver in ${name} verifies webhooks\n`);
  }
}
