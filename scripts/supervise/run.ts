/** Runs `up` from start to exit code: signals, errors, and the end of the reader of stdout. */
import { type Config, ConfigError, readConfig } from '../../core/config/config.ts';
import { releaseMemoryWhenIdle } from '../../core/process/release-memory.ts';
import { ROOT } from '../../core/root.ts';
import { chooseFreePorts } from './free-ports.ts';
import type { Procfile } from './procfile.ts';
import { removeReadyFile } from './ready-file.ts';
import { StartError, openSupervisor } from './supervisor.ts';
import { type UpOptions, up } from './up.ts';

export interface RunOptions extends Pick<UpOptions, 'format' | 'ready'> {
  /** @throws {StartError} if there is none. */
  procfile: () => Procfile;
}

/** Only entry files call this. */
export function runUp(options: RunOptions): void {
  try {
    start(options);
  } catch (error) {
    complain(error);
    process.exit(1);
  }
}

function start({ procfile, ...options }: RunOptions): void {
  // Relative paths in commands and variables are relative to the package.
  process.chdir(ROOT);
  const given = { ...process.env, BIND_HOST: process.env.BIND_HOST?.trim() || '127.0.0.1' };
  const config = readConfig(given, 'script');
  const { readyFile } = config.bootstrap;
  const processes = procfile();
  const supervisor = openSupervisor();
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

  withChosenPorts(config, given)
    .then((env) => {
      const chosen = readConfig(env, 'script');
      return up({ config: chosen, env, procfile: processes, supervisor, ...options });
    })
    .then(
      () => {
        releaseMemoryWhenIdle();
      },
      (error: unknown) => {
        if (stopping) return;
        complain(error);
        void stop(1);
      },
    );
}

/** The environment of all children: chosen ports for those that are 0, an absolute data folder. */
async function withChosenPorts(
  { bindHost, dataDir, http, smtp }: Config,
  given: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv> {
  const asked = { PORT: http.port, SMTP_PORT: smtp.port };
  const chosen = Object.entries(await chooseFreePorts(bindHost, asked));
  const ports = Object.fromEntries(chosen.map(([name, port]) => [name, `${port}`]));
  return { ...given, ...ports, DATA_DIR: dataDir };
}

/** Prints errors that the operator can fix without a stack. */
function complain(error: unknown): void {
  const expected = error instanceof StartError || error instanceof ConfigError;
  const text = expected ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`mayfly: ${text}\n`);
}
