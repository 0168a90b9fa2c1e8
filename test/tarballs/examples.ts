/** The examples, installed outside the repository as examples/README.md says. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@mayfly/client';
import { ROOT } from '../../core/root.ts';
import { codeOf } from '../support/docs/pages.ts';
import { startProgram } from '../support/process/programs.ts';
import { freePort } from '../support/servers/free-port.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { checkCypress } from './cypress.ts';
import { checkFixtures } from './fixtures.ts';
import { installExample, withoutSources } from './install.ts';
import type { Machine } from './machine.ts';

const FAILING = `
import { expect, test } from '@mayfly/client/playwright';

test('fails', async ({ inbox }) => {
  await inbox.send({ to: [inbox.address], subject: 'The mail of a failure', text: 'x' });
  expect((await inbox.wait()).subject).toBe('Another');
});
`;
export async function checkSignUp(machine: Machine): Promise<void> {
  const project = await installExample(machine, 'sign-up');
  const port = await freePort();
  machine.env['APP_PORT'] = String(port);
  await machine.run(project, 'node_modules/.bin/vitest', 'run', 'sign-up.test.js');
  process.stdout.write('The sign-up example works with Vitest\n');
  const playwright = (...args: string[]) =>
    machine.run(project, 'node_modules/.bin/playwright', 'test', ...args);
  await playwright('sign-up', '--repeat-each=4', '--workers=2');
  process.stdout.write('The sign-up example works with Playwright\n');

  await checkFixtures(machine, project);
  await writeFile(join(project, 'fails.spec.js'), FAILING);
  const failure = await playwright('fails', '--reporter=json').catch(String);
  if (!/"name": "The mail of a failure msg_\w+\.eml"/.test(failure)) {
    throw new Error(`the report of a failed test has no .eml:\n${failure}`);
  }
  process.stdout.write('A failed test of Playwright has its mails as .eml files\n');

  const server = startProgram('node', [join(project, 'server.js')], machine.env);
  try {
    await eventually('the application', () => server.output().includes('http://'));
    await withoutSources(machine).run(project, '.venv/bin/pytest', '-q', 'test_sign_up.py');
    process.stdout.write('The sign-up example works with pytest\n');
    await checkCypress(machine, project);
  } finally {
    await server.stop();
  }
}

export async function checkReceivers(machine: Machine): Promise<void> {
  const project = await installExample(machine, 'webhooks');
  const programs = {
    Express: ['node', 'express-receiver.js'],
    Flask: [join(project, '.venv/bin/python'), 'flask_receiver.py'],
  };
  for (const [name, [program = '', file = '']] of Object.entries(programs)) {
    const port = await freePort();
    const hook = await registerWebhookAt(machine, `http://127.0.0.1:${port}/hooks`);
    const env = {
      ...withoutSources(machine).env,
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

/** A mailbox with a webhook. @returns its secret, and a function that sends the mailbox a mail. */
async function registerWebhookAt({ env }: Machine, url: string) {
  const client = createClient({ url: env['MAYFLY_URL'] ?? '', token: env['MAYFLY_TOKEN'] ?? '' });
  const inbox = await client.mailboxes.create({ expiresIn: 600 });
  const { data } = await client.api.POST('/api/mailboxes/{name}/webhooks', {
    params: { path: { name: inbox.name } },
    body: { url },
  });
  return {
    secret: data?.secret ?? '',
    send: (subject: string) => inbox.send({ to: [inbox.address], subject }),
  };
}

const PAGE = 'docs/client.md';
/** The samples of the page for test runners are those of the examples, which run. */
const SAMPLES: [file: string, part: string][] = [
  ['sign-up.spec.js', '@mayfly/client/playwright'],
  ['sign-up.spec.js', 'getByText('],
  ['sign-up.test.js', '@mayfly/client/vitest'],
  ['sign-up.test.js', 'toHaveReceivedCode(/'],
  ['sign-up.test.js', 'toMatchMailSnapshot();'],
  ['cypress/e2e/sign-up.cy.js', 'cy.createMailbox({'],
  ['cypress/e2e/sign-up.cy.js', 'cy.takeMark('],
];

/** @throws when a line of a sample is not in its example. */
export async function checkRunnerSamples(): Promise<void> {
  for (const [file, part] of SAMPLES) {
    const example = await readFile(join(ROOT, 'examples/sign-up', file), 'utf8');
    for (const line of codeOf(PAGE, 'js', part).split('\n')) {
      if (!example.includes(line.trim())) throw new Error(`${file} has no line ${line}`);
    }
  }
}
