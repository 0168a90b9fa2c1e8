/** Starts the service step by step; any step can fail with a StartError. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Config } from '../../core/config/config.ts';
import { lastOutput } from '../../core/process/child-exit.ts';
import { waitUntilReady } from '../../core/process/supervise-child.ts';
import { programFile } from '../../core/root.ts';
import type { FirstWorkspace } from '../cli/existing-workspace.ts';
import { startMessage } from './start-message.ts';
import { checkUnused, embeddedRedis, redisFault } from './embedded-redis.ts';
import { checkPorts } from './free-ports.ts';
import type { Procfile } from './procfile.ts';
import { writeReadyFile } from './ready-file.ts';
import { StartError, type Supervisor } from './supervisor.ts';

const FIRST_WORKSPACE = `node ${programFile('scripts/cli/first-workspace')}`;

export interface UpOptions {
  config: Config;
  /** Environment of all children. */
  env: NodeJS.ProcessEnv;
  procfile: Procfile;
  supervisor: Supervisor;
  /**
   * Changes a line of output of a process before it is printed. Without it, processes write the
   * lines of their log themselves, which costs this process nothing.
   */
  format?: (line: string) => string;
  /** Called when everything runs. Resolves to lines that follow the announcement. */
  ready?: (config: Config) => Promise<string[]>;
}

/** Resolves when everything runs and was announced. @throws {StartError} if a step fails. */
export async function up(options: UpOptions): Promise<void> {
  const { config, env, procfile, supervisor, format } = options;
  const formation = formationOf(procfile, config.worker.processes);
  const prefixOf = alignedPrefixes(['release', 'redis', ...formation.keys()]);
  const printer = (name: string) => (line: string) =>
    process.stdout.write(`${prefixOf(name)} ${format?.(line) ?? line}\n`);

  // Checked before the ports, since its error names the cause: another `up` is running.
  if (config.redisIsEmbedded) await checkUnused(config);
  const { port, submissionPort, smtpsPort } = config.smtp;
  await checkPorts(config.bindHost, {
    PORT: config.http.port,
    SMTP_PORT: port,
    ...(submissionPort === null ? {} : { SMTP_SUBMISSION_PORT: submissionPort }),
    ...(smtpsPort === null ? {} : { SMTPS_PORT: smtpsPort }),
  });
  if (config.redisIsEmbedded) await startRedis(config, env, supervisor, printer('redis'));
  if (procfile.release) {
    const migrate = spawnCommand(procfile.release, env);
    await supervisor.finish('The release command', migrate, printer('release'));
  }
  const start = (names: string[]) =>
    Promise.all(
      names.map(async (name) => {
        const command = formation.get(name) ?? '';
        const exit = await supervisor.keep(isWorker(name) ? 'work' : 'intake', {
          spawn: () =>
            format
              ? spawnCommand(command, env)
              : spawnCommand(command, { ...env, LOG_PREFIX: prefixOf(name) }, 'inherit'),
          ready: waitUntilReady,
          print: printer(name),
        });
        if (exit) throw new StartError(`${name} failed to start: ${lastOutput(exit)}`);
      }),
    );
  const names = [...formation.keys()];
  // With BOOTSTRAP_TOKEN, /readyz answers only when the token works.
  const isLate = (name: string) => config.bootstrap.token !== null && name === 'web';
  await start(names.filter((name) => !isLate(name)));
  // Otherwise this runs last: the token is shown once, and a failed start must not lose it.
  const workspace = await firstWorkspace(env, supervisor, printer('release'));
  await start(names.filter(isLate));
  const more = (await options.ready?.(config)) ?? [];
  const { readyFile } = config.bootstrap;
  if (readyFile !== null) writeReadyFile(readyFile, config, workspace);
  process.stdout.write([startMessage(config, workspace), ...more, ''].join('\n'));
}

/** One name per process. Multiple workers are numbered. */
function formationOf(procfile: Procfile, workers: number): Map<string, string> {
  const named = [...procfile.processes].flatMap(([name, command]): [string, string][] =>
    isWorker(name) && workers > 1
      ? Array.from({ length: workers }, (_, i) => [`${name}.${i + 1}`, command])
      : [[name, command]],
  );
  return new Map(named);
}

function isWorker(name: string): boolean {
  return /^worker(\.\d+)?$/.test(name);
}

/** The name of a process before each of its lines, aligned to the longest name. */
function alignedPrefixes(names: string[]): (name: string) => string {
  const width = names.reduce((most, name) => Math.max(most, name.length), 0);
  return (name) => `${name.padEnd(width)} |`;
}

async function startRedis(
  config: Config,
  env: NodeJS.ProcessEnv,
  supervisor: Supervisor,
  print: (line: string) => void,
): Promise<void> {
  const exit = await supervisor.keep('state', embeddedRedis(config, env, print));
  if (exit) throw redisFault(exit, config);
}

async function firstWorkspace(
  env: NodeJS.ProcessEnv,
  supervisor: Supervisor,
  print: (line: string) => void,
): Promise<FirstWorkspace> {
  const child = spawnCommand(FIRST_WORKSPACE, env);
  let told: FirstWorkspace | undefined;
  child.on('message', (message) => (told = message as FirstWorkspace));
  await supervisor.finish('Creation of the first workspace', child, print);
  if (!told) throw new StartError('The first workspace was not created.');
  return told;
}

/**
 * Starts a Procfile command in a shell that execs it, as the leader of its own process group. Over
 * the IPC channel the child reports readiness and notices when this process exits.
 */
function spawnCommand(
  command: string,
  env: NodeJS.ProcessEnv,
  stdout: 'pipe' | 'inherit' = 'pipe',
): ChildProcess {
  return spawn('sh', ['-c', withExec(command)], {
    env,
    detached: true,
    stdio: ['ignore', stdout, 'pipe', 'ipc'],
  });
}

/**
 * Mayfly's Procfile has `exec` in each line, for runners that signal the shell; another Procfile
 * may not.
 */
function withExec(command: string): string {
  return /^exec\s/.test(command) ? command : `exec ${command}`;
}
