/**
 * `up` after installation and build: starts the processes of the Procfile, and a Redis if none is
 * configured, and keeps them running until Ctrl-C or SIGTERM. An argument can name another
 * Procfile.
 */
import { readFileSync } from 'node:fs';
import { ConfigError, readConfig } from '../../core/config/config.ts';
import { ROOT } from '../../core/root.ts';
import { parseProcfile } from './procfile.ts';
import { StartError, openSupervisor } from './supervisor.ts';
import { up } from './up.ts';

/** Relative paths in commands and variables are relative to the package. */
process.chdir(ROOT);

function main(): void {
  const given = { ...process.env, BIND_HOST: process.env.BIND_HOST || '127.0.0.1' };
  const config = readConfig(given, 'script');
  const env = { ...given, DATA_DIR: config.dataDir };
  const procfile = parseProcfile(readProcfile(process.argv[2] ?? 'Procfile'));
  const supervisor = openSupervisor();
  let stopping = false;

  const stop = async (exitCode: number) => {
    if (stopping) {
      // A second signal skips the graceful stop.
      supervisor.kill();
      exitCode = 1;
    }
    stopping = true;
    await supervisor.stop();
    process.exit(exitCode);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void stop(0));
  }
  process.stdout.on('error', () => void stop(1)); // the reader of stdout is gone

  up({ config, env, procfile, supervisor }).catch((error: unknown) => {
    if (stopping) return;
    complain(error);
    void stop(1);
  });
}

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

/** Prints errors that the operator can fix without a stack. */
function complain(error: unknown): void {
  const expected = error instanceof StartError || error instanceof ConfigError;
  const text = expected ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`mayfly: ${text}\n`);
}

try {
  main();
} catch (error) {
  complain(error);
  process.exit(1);
}
