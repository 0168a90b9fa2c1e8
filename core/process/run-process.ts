/**
 * Shared by all process entry files: configuration, a single error text if the process cannot
 * start, readiness for a supervisor, and an orderly stop on SIGTERM, SIGINT or the loss of the
 * supervisor.
 */
import { existsSync } from 'node:fs';
import { type Config, ConfigError, type ProcessRole, readConfig } from '../config/config.ts';
import { storedKeyring, storedOperatorPassword } from '../config/generated-secrets.ts';
import { AppError, asAppError, errorText } from '../errors.ts';
import { type Logger, openLog, prefixOf } from '../log.ts';
import { answerWatch } from './answer-watch.ts';
import { closeToOthers } from './file-access.ts';
import { releaseMemoryWhenIdle } from './release-memory.ts';
import { WATCH_TIMES, type WatchTimes } from './watch.ts';

/** Hard limit of a stop, below the 30 s that platforms grant. */
const STOP_DEADLINE_MS = 27_000;

export interface RunningProcess {
  /** Stops accepting work, completes work in progress, and closes everything it opened. */
  stop: () => Promise<void>;
}

/**
 * The configuration of this process, with the secrets of the data directory if none are configured.
 * @param changes variables that override the environment.
 */
export function loadConfig(role: ProcessRole, changes: NodeJS.ProcessEnv = {}): Config {
  const env = { ...process.env, ...changes };
  const config = readConfig(env, role);
  closeToOthers(config);
  if (config.production) return config;
  const { dataDir } = config;
  const stored: NodeJS.ProcessEnv = {};
  const needsKeys = role === 'web' || role === 'worker' || role === 'script';
  if (!config.keyring && needsKeys) {
    if (role === 'script') requireData(config);
    stored.ENCRYPTION_KEYS = storedKeyring(dataDir);
  }
  if (config.operatorPassword === null && role === 'web') {
    stored.OPERATOR_PASSWORD = storedOperatorPassword(dataDir);
  }
  return readConfig({ ...env, ...stored }, role);
}

/**
 * Checks that there is a database, for commands that must not make one.
 * @throws {AppError} `unavailable` if the file of SQLite does not exist.
 */
export function requireData({ database, dataDir }: Config): void {
  if (database.kind !== 'sqlite' || existsSync(database.path)) return;
  throw new AppError(
    'unavailable',
    `no Mayfly data in ${dataDir}: set DATA_DIR to the data directory of the service`,
  );
}

/**
 * Runs a long-lived process from start to exit code. Only entry files call this. The process is
 * watched from the first turn of its event loop on.
 */
export function runProcess(
  role: ProcessRole,
  start: (config: Config, log: Logger) => Promise<RunningProcess>,
  watchTimes = WATCH_TIMES,
): void {
  void startProcess(role, start, watchTimes).catch(failStart);
}

async function startProcess(
  role: ProcessRole,
  start: (config: Config, log: Logger) => Promise<RunningProcess>,
  watchTimes: WatchTimes,
): Promise<void> {
  const config = loadConfig(role);
  const log = openLog(config);
  const fields = { process: role, pid: process.pid };
  const ready = answerWatch(log, { times: watchTimes, prefix: prefixOf(config.logPrefix), fields });
  const running = await start(config, log);

  let stopping = false;
  const stop = (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info('stopping', { reason });
    setTimeout(() => {
      log.error('stop timed out, exiting');
      process.exit(1);
    }, STOP_DEADLINE_MS).unref();
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error('stop failed', { error });
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => {
    stop('SIGTERM');
  });
  process.on('SIGINT', () => {
    stop('SIGINT');
  });
  process.stdout.on('error', () => {
    stop('the reader of the log is gone');
  });
  process.on('disconnect', () => {
    stop('the supervisor process has ended');
  });
  if (process.send && !process.connected) {
    stop('the supervisor process ended during startup');
    return;
  }
  ready();
  log.info('ready');
  process.send?.({ ready: role });
  releaseMemoryWhenIdle();
}

/**
 * Prints why a process or script cannot continue, without a stack for errors that the user can fix.
 */
export function failStart(error: unknown): void {
  const expected =
    error instanceof ConfigError || asAppError(error) !== null || isSystemError(error);
  const unexpected = error instanceof Error ? error.stack : String(error);
  // An error of the start itself says all; that of a fault of the database has a cause.
  const known = error instanceof AppError ? error.message : errorText(error);
  const text = expected ? known : unexpected;
  process.stderr.write(`mayfly: ${text ?? 'unknown error'}\n`);
  process.exit(1);
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
