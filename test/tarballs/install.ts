/** The commands of the pages that install packages and examples, as a reader runs them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../support/docs/pages.ts';
import { type Machine, mustEqual } from './machine.ts';

/** The machine without the sources of the Python package, which hide a failed installation. */
export function withoutSources(machine: Machine): Machine {
  return machine.with({ ...machine.env, PYTHONPATH: '' });
}

/** Runs the one block `sh` of the page that contains the text, in the checkout. */
function runBlock(machine: Machine, path: string, containing: string): Promise<string> {
  return withoutSources(machine).run(
    machine.checkout,
    'sh',
    '-euxc',
    codeOf(path, 'sh', containing),
  );
}

/** Installs an example by the commands of its page. @returns its folder. */
export async function installExample(machine: Machine, name: string): Promise<string> {
  await runBlock(machine, 'examples/README.md', `cp -R examples/${name} ..`);
  return join(machine.folder, name);
}

/** The packages are installed by the commands of their pages, and work. */
export async function checkInstalls(machine: Machine): Promise<void> {
  const shop = join(machine.folder, 'shop');
  await mkdir(shop);
  await writeFile(join(shop, 'package.json'), '{ "private": true, "type": "module" }');

  await runBlock(machine, 'docs/client.md', 'npm install');
  const script = `import { createClient } from '@mayfly/client';
    const inbox = await createClient().mailboxes.create({ expiresIn: 60 });
    await inbox.send({ to: [inbox.address], subject: 'Code', text: 'Your code is 482913.' });
    console.log(await inbox.waitForCode());`;
  const code = await machine.run(shop, 'node', '--input-type=module', '-e', script);
  mustEqual(code, '482913\n', 'the client in a project');

  // `npm install --global` writes below the prefix.
  const prefix = join(machine.folder, 'global');
  const own = machine.with({ ...machine.env, npm_config_prefix: prefix });
  await runBlock(own, 'docs/command-line.md', '--global');
  const mailboxes = await own.run(shop, join(prefix, 'bin/mayfly'), 'mailbox', 'list');
  if (!mailboxes.includes('inbox@')) throw new Error(`mayfly mailbox list prints ${mailboxes}`);

  await runBlock(machine, 'docs/python.md', 'pip install');
  const python = `from mayfly_mail import Mayfly
inbox = Mayfly().mailboxes.create(expires_in=60)
inbox.send(to=[inbox.address], subject="Code", text="Your code is 482913.")
print(inbox.wait_for_code())`;
  const printed = await withoutSources(machine).run(shop, '.venv/bin/python', '-c', python);
  mustEqual(printed, '482913\n', 'the Python client in a project');
  process.stdout.write('The commands that install the packages work\n');
}
