import { spawn } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { tempDir } from '../support/context/temp-dir.ts';
import { inherited } from '../support/process/inherited.ts';
import { follow } from '../support/process/programs.ts';
import { openReceiver } from '../support/servers/receiver.ts';
import { service } from '../support/service.ts';

/** Each matcher with "not", by a service that does not answer. */
const TESTS = `
import { createClient } from '@mayfly/client';
import '@mayfly/client/vitest';
import { expect, test } from 'vitest';
const inbox = createClient().inbox('hello');
test('toHaveReceivedCode', () => expect(inbox).not.toHaveReceivedCode('482913'), 2400);
test('toHaveReceived', () => expect(inbox).not.toHaveReceived({ timeout: 1 }), 2400);
`;

/** Waits while the test fakes its clock and timers. */
const FAKED = `
import { expect, test } from '@mayfly/client/vitest';
import { vi } from 'vitest';
test.each(['2040-01-01', '2001-01-01'])('in %s', async (day) => {
  vi.useFakeTimers();
  vi.setSystemTime(new Date(day));
  const { createClient } = await import('@mayfly/client');
  const inbox = await createClient().mailboxes.create();
  await inbox.send({ to: [inbox.address], subject: 'Sign in', text: 'Your code is 482913.' });
  expect(await inbox.waitForCode()).toBe('482913');
  await expect(inbox.wait({ subject: 'none' })).rejects.toThrow('the test ends');
  vi.useRealTimers();
}, 5000);
`;

describe('the entry @mayfly/client/vitest', () => {
  const dir = tempDir('each');
  const test = service({ once: true });

  it('waits by the real clock', async () => {
    await symlink(join(ROOT, 'node_modules'), join(dir.path, 'node_modules'));
    await writeFile(join(dir.path, 'clock.test.mjs'), FAKED);
    const child = spawn(join(ROOT, 'node_modules/.bin/vitest'), ['run'], {
      ...{ cwd: dir.path, stdio: ['ignore', 'pipe', 'pipe'] },
      env: { ...inherited, HOME: dir.path, ...(await test.clientEnv()), NO_COLOR: '1' },
    });
    const { output, exited } = follow(child);
    expect(await exited, output()).to.equal(0);
    expect(output()).to.match(/Tests .*2 passed/);
  });

  it('fail with "not" if the service does not answer', async () => {
    const receiver = await openReceiver();
    receiver.answer(() => undefined);
    await symlink(join(ROOT, 'node_modules'), join(dir.path, 'node_modules'));
    await writeFile(join(dir.path, 'waits.test.mjs'), TESTS);
    const { origin } = new URL(receiver.url);
    const child = spawn(join(ROOT, 'node_modules/.bin/vitest'), ['run'], {
      ...{ cwd: dir.path, stdio: ['ignore', 'pipe', 'pipe'] },
      env: {
        ...inherited,
        HOME: dir.path,
        MAYFLY_URL: origin,
        MAYFLY_TOKEN: 'mf_x',
        NO_COLOR: '1',
      },
    });
    const { output, exited } = follow(child);
    expect(await exited, output()).to.equal(1);
    await receiver.close();
    expect(output())
      .to.match(/Tests .*2 failed/)
      .and.match(/MayflyTimeout: Unknown number of messages for hello\n.*\nMayfly has not answered/)
      .and.include('Whether a message arrived is unknown: no response within')
      .and.not.include('Test timed out');
  });
});
