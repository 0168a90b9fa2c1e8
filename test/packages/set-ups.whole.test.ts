import { spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { tempDir } from '../support/context/temp-dir.ts';
import { codeOf } from '../support/docs/pages.ts';
import { inherited } from '../support/process/inherited.ts';
import { follow } from '../support/process/programs.ts';
import { freePort } from '../support/servers/free-port.ts';

const PAGE = 'docs/continuous-integration.md';

/** Sends a code to the address in the path, by the SMTP_URL with which it was started. */
const APPLICATION = `
import { createServer } from 'node:http';
import { createTransport } from 'nodemailer';
const transport = createTransport(process.env.SMTP_URL);
createServer(async ({ url }, response) => {
  const to = url.slice(1);
  if (to !== '') await transport.sendMail({ from: 'a@shop.example', to, text: 'Your code is 482913.' });
  response.end();
}).listen(process.env.APP_PORT, '127.0.0.1');
`;

const IN_PLAYWRIGHT = `
import { expect, test } from '@mayfly/client/playwright';
for (const n of [1, 2]) {
  test('signs in ' + n, async ({ inbox, request }) => {
    await request.get('http://127.0.0.1:' + process.env.APP_PORT + '/' + inbox.address);
    expect(await inbox.waitForCode()).toBe('482913');
  });
}
`;

const IN_VITEST = `
import { createClient } from '@mayfly/client';
import { createTransport } from 'nodemailer';
import { expect, test } from 'vitest';
test('signs in', async () => {
  const inbox = await createClient().mailboxes.create();
  const transport = createTransport(process.env.SMTP_URL);
  await transport.sendMail({ from: 'a@shop.example', to: inbox.address, text: 'Your code is 482913.' });
  expect(await inbox.waitForCode()).toBe('482913');
}, 30_000);
`;

describe('the set-ups of test runners', () => {
  const dir = tempDir('each');
  beforeEach(async () => {
    await symlink(join(ROOT, 'node_modules'), join(dir.path, 'node_modules'));
    await writeFile(join(dir.path, 'package.json'), '{ "type": "module" }');
  });

  const runs = async (command: string[], files: Record<string, string>, env: object = {}) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir.path, name), text);
    await mkdir(join(dir.path, 'home'));
    const [program = '', ...args] = command;
    const child = spawn(join(ROOT, 'node_modules/.bin', program), args, {
      ...{ cwd: dir.path, stdio: ['ignore', 'pipe', 'pipe'] },
      env: { ...inherited, HOME: join(dir.path, 'home'), MAYFLY_PACKAGE: ROOT, ...env },
    });
    const { output, exited } = follow(child);
    expect(await exited, output()).to.equal(0);
    return output();
  };

  it('start Mayfly for Vitest', async () => {
    const files = {
      'vitest.config.js': codeOf(PAGE, 'js', 'vitest/config'),
      'sign-in.test.js': IN_VITEST,
    };
    expect(await runs(['vitest', 'run'], files)).to.match(/Tests .*1 passed/);
  });

  it('start Mayfly for Playwright, on the port of SMTP that its application knows', async () => {
    const [port, smtpPort] = await Promise.all([freePort(), freePort()]);
    const config = codeOf(PAGE, 'js', '@mayfly/client/playwright-setup')
      .replace(':2525', `:${smtpPort}`)
      .replace('npm start', 'node application.js')
      .replace(':8080', `:${port}`);
    const files = {
      'playwright.config.js': config,
      'application.js': APPLICATION,
      'sign-in.spec.js': IN_PLAYWRIGHT,
    };
    const env = { APP_PORT: `${port}` };
    const output = await runs(['playwright', 'test', '--workers=2'], files, env);
    expect(output).to.include('2 passed');
  });
});
