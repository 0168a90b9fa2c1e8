/**
 * `up`, once everything is installed and built: starts what the Procfile names, with a Redis where none
 * is given, and keeps it running until Ctrl-C or SIGTERM. Another Procfile may be given as an argument.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigError, readConfig } from '../../core/config/config.js';
import { parseProcfile } from './procfile.js';
import { StartError } from './start-error.js';
import { openSupervisor } from './supervisor.js';
import { up } from './up.js';

/** Relative paths, of commands and in variables, are the package's. */
process.chdir(fileURLToPath(new URL('../../../', import.meta.url)));

function main(): void {
  const given = { ...process.env, BIND_HOST: process.env.BIND_HOST || '127.0.0.1' };
  const config = readConfig(given, 'script');
  const env = { ...given, DATA_DIR: config.dataDir };
  const procfile = parseProcfile(readFileSync(process.argv[2] ?? 'Procfile', 'utf8'));
  const supervisor = openSupervisor();
  let stopping = false;

  const stop = async (exitCode: number) => {
    if (stopping) {
      // Asked twice: whoever asks is not willing to wait.
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
  process.stdout.on('error', () => void stop(1)); // nobody reads any more

  up({ config, env, procfile, supervisor }).catch((error: unknown) => {
    if (stopping) return;
    complain(error);
    void stop(1);
  });
}

/** Without a stack for what the reader can mend. */
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
