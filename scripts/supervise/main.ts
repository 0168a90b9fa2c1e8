/**
 * `up` after installation and build: starts the processes of the Procfile, and a Redis if none is
 * configured, and keeps them running until Ctrl-C or SIGTERM. An argument can name another
 * Procfile.
 */
import { readFileSync } from 'node:fs';
import { parseProcfile } from './procfile.ts';
import { runUp } from './run.ts';
import { StartError } from './supervisor.ts';

const [, , other] = process.argv;
runUp({
  procfile: () => parseProcfile(readProcfile(other ?? 'Procfile')),
  // The commands of another Procfile may not read LOG_PREFIX.
  ...(other === undefined ? {} : { format: (line) => line }),
});

/** @throws {StartError} if the file cannot be read. */
function readProcfile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The Procfile "${path}" cannot be read (${code}). Usage: scripts/up [PROCFILE]`,
    );
  }
}
