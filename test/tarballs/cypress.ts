/** The Cypress example, with a stand-in for Cypress, and in Cypress where its binary is there. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../core/root.ts';
import { type Machine, mustEqual } from './machine.ts';

/** The version whose types check the example. */
export const CYPRESS = '15.3.0';

/** @param project the sign-up example, whose application runs. */
export async function checkCypress(machine: Machine, project: string): Promise<void> {
  const standIn = join(ROOT, 'test/tarballs/cypress-stand-in.ts');
  mustEqual(
    await machine.run(project, process.execPath, standIn, project),
    'signs up with the code of the mail\ntakes the code that is sent again\nall commands\n',
    'the Cypress example',
  );
  process.stdout.write('The Cypress example works with a stand-in for Cypress\n');

  const version = await installedVersion();
  if (version === null) {
    const reason = 'no binary in CYPRESS_RUN_BINARY or in the cache of Cypress';
    process.stdout.write(`The Cypress example was not run in Cypress: ${reason}\n`);
    return;
  }
  await machine.run(
    project,
    'npm',
    'install',
    '--no-save',
    '--ignore-scripts',
    `cypress@${version}`,
  );
  await machine.run(project, 'node_modules/.bin/cypress', 'verify');
  await machine.run(project, 'node_modules/.bin/cypress', 'run');
  process.stdout.write(`The Cypress example works with Cypress ${version}\n`);
}

/** The version of the npm package that fits the binary; null without a binary. */
async function installedVersion(): Promise<string | null> {
  const { CYPRESS_RUN_BINARY: binary, CYPRESS_CACHE_FOLDER: folder } = process.env;
  if (binary) return CYPRESS;
  const cache = folder ?? join(homedir(), '.cache/Cypress');
  if (!existsSync(cache)) return null;
  const versions = (await readdir(cache)).filter((name) => /^\d+\.\d+\.\d+$/.test(name));
  return versions.at(-1) ?? null;
}
