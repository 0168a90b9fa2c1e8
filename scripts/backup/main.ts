/** `npm run backup`: copies database and blobs to a new folder. Can run while the service runs. */
import { parseArgs } from 'node:util';
import { errorText } from '../../core/errors.ts';
import { loadConfig, requireData } from '../../core/process/run-process.ts';
import { UsageError, runScript } from '../cli/run-script.ts';
import { commandLine } from '../command-line.ts';
import { type Backup, backUp } from './back-up.ts';

const USAGE = `usage: ${commandLine('backup')} --to FOLDER [--with-keys]
  FOLDER must not exist. --with-keys also copies encryption-keys and operator-password of DATA_DIR.`;

runScript(async () => {
  const { to, withKeys } = parseArguments(process.argv.slice(2));
  const config = loadConfig('migrate'); // needs no keys, and makes none
  requireData(config);
  process.stdout.write(report(await backUp(config, to, withKeys)));
});

/** @throws {UsageError} */
function parseArguments(args: string[]): { to: string; withKeys: boolean } {
  const options = { to: { type: 'string' }, 'with-keys': { type: 'boolean' } } as const;
  try {
    const { to, 'with-keys': withKeys = false } = parseArgs({ args, options }).values;
    if (!to) throw new Error('--to is required');
    return { to, withKeys };
  } catch (error) {
    throw new UsageError(errorText(error), USAGE);
  }
}

function report({ folder, database, blobs, secrets }: Backup): string {
  const lines = [
    ['Backup', folder],
    ['Database', database],
    [
      'Blobs',
      blobs === null
        ? 'not copied: copy the bucket with the tools of its provider'
        : `${blobs} files`,
    ],
    [
      'Keys',
      secrets.join(', ') ||
        'not copied: without the ENCRYPTION_KEYS of the service, its tokens and webhook secrets are lost',
    ],
  ];
  return lines.map(([name = '', text]) => `${name.padEnd(10)} ${text}\n`).join('');
}
