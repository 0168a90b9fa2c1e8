/** Runs `up` from start to exit code: signals, errors, and the end of the reader of stdout. */
import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { closeToOthers } from '../../core/process/file-access.ts';
import { errorText } from '../../core/errors.ts';
import { releaseMemoryWhenIdle } from '../../core/process/release-memory.ts';
import { ROOT, programFile } from '../../core/root.ts';
import type { Procfile } from './procfile.ts';
import type { ReadConfig } from './read-config.ts';
import { prepareReadyFile, removeReadyFile } from './ready-file.ts';
import { StartError, openSupervisor } from './supervisor.ts';
import { type UpOptions, up } from './up.ts';

export interface RunOptions extends Pick<UpOptions, 'format' | 'ready'> {
  /** @throws {StartError} if there is none. */
  procfile: () => Procfile;
}

/** Only entry files call this. */
export function runUp({ procfile, ...options }: RunOptions): void {
  // Relative paths in commands and variables are relative to the package.
  process.chdir(ROOT);
  const supervisor = openSupervisor();
  let readyFile: string | null = null;
  let stopping = false;

  const stop = async (exitCode: number) => {
    if (stopping) {
      // A second signal skips the graceful stop.
      supervisor.kill();
      exitCode = 1;
    }
    stopping = true;
    if (readyFile !== null) removeReadyFile(readyFile);
    await supervisor.stop();
    process.exit(exitCode);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void stop(0));
  }
  process.stdout.on('error', () => void stop(1)); // the reader of stdout is gone

  const start = async () => {
    const { config, changes } = await readConfig();
    makeDataDir(config.dataDir);
    closeToOthers(config); // before Redis and the processes start, which inherit the umask
    const { readyFile: path } = config.bootstrap;
    if (path !== null) prepareReadyFile(path);
    readyFile = path;
    const env = { ...process.env, ...changes };
    await up({ config, env, procfile: procfile(), supervisor, ...options });
    releaseMemoryWhenIdle();
  };
  start().catch((error: unknown) => {
    if (stopping) return;
    complain(error);
    void stop(1);
  });
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartError(`Cannot use DATA_DIR: ${errorText(error)}`);
  }
}

/** @throws {StartError} if the configuration is invalid. */
async function readConfig(): Promise<Exclude<ReadConfig, { fault: string }>> {
  const child = fork(programFile('scripts/supervise/read-config'));
  const result = await new Promise<ReadConfig>((resolve, reject) => {
    child.on('message', (message) => {
      resolve(message as ReadConfig);
    });
    child.on('error', reject);
    child.on('disconnect', () => {
      reject(new StartError('The configuration could not be read.'));
    });
  });
  if ('fault' in result) throw new StartError(result.fault);
  return result;
}

/** Prints errors that the operator can fix without a stack. */
function complain(error: unknown): void {
  const expected = error instanceof StartError;
  const text = expected ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`mayfly: ${text}\n`);
}
