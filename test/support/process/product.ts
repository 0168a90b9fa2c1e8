/**
 * The built product, started as `up` starts it. Tests read its state from the output for users: the
 * announcement, and the lines with the pid of each process.
 */
import { spawn } from 'node:child_process';
import { ROOT } from '../../../core/root.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  type RestClient,
  openApi,
  restClient,
} from '../clients/rest-client.ts';
import { type Reply, SmtpClient } from '../clients/smtp-client.ts';
import { countStart } from '../../runner/meter.ts';
import { eventually } from '../mocha/eventually.ts';
import { freePort } from '../servers/free-port.ts';
import { makeTempDir } from '../context/temp-dir.ts';
import { inherited } from './inherited.ts';
import { type Followed, follow } from './programs.ts';

/** Much longer than a start takes: other load of the machine must not fail a test. */
const START_WITHIN_MS = 90_000;

export interface Product extends Followed {
  /** `http://127.0.0.1:PORT/api` */
  readonly apiUrl: string;
  readonly httpPort: number;
  readonly smtpPort: number;
  readonly domain: string;
  /** Null if the data directory was used before. */
  readonly token: string | null;
  readonly dataDir: string;
  /** The current pid of each process by its name: redis, web, worker, smtp. */
  readonly processes: () => Map<string, number>;
  readonly kill: (name: string, signal: NodeJS.Signals) => void;
  /** A client with its token. */
  readonly rest: RestClient;
  /** One request with its token, or with another. */
  readonly ask: (
    method: ApiRequest['method'],
    path: string,
    body?: object,
    token?: string,
  ) => Promise<ApiAnswer>;
  /**
   * Sends mails to an address, or to a mailbox of its domain, one after the other over one
   * connection.
   * @param before is called before each
   */
  readonly send: (
    to: string,
    mails: (string | Buffer)[],
    before?: (n: number) => void,
  ) => Promise<Reply[]>;
  /** Sends SIGTERM. Resolves to the exit code. Removes the data directory unless it was given. */
  readonly stop: () => Promise<number | null>;
}

/** Starts the supervisor with these variables on free ports. Does not wait until it is ready. */
export function launchUp(env: Record<string, string>, argument?: string): Promise<Followed> {
  const program = 'dist/scripts/supervise/main.js';
  return launch(process.execPath, [program, ...(argument === undefined ? [] : [argument])], env);
}

/** Same, for another program that starts the product. */
export async function launch(
  program: string,
  args: string[],
  env: Record<string, string>,
): Promise<Followed> {
  const [port, smtpPort] = await Promise.all([freePort(), freePort()]);
  const child = spawn(program, args, {
    cwd: ROOT,
    env: {
      ...inherited,
      HOME: process.env.HOME,
      PORT: `${port}`,
      SMTP_PORT: `${smtpPort}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return follow(child);
}

/** Starts the product, or another Procfile. Resolves once it announces that it is ready. */
export async function startProduct(
  env: Record<string, string> = {},
  procfile?: string,
): Promise<Product> {
  countStart();
  const folder = env.DATA_DIR === undefined ? await makeTempDir() : null;
  const dataDir = env.DATA_DIR ?? folder?.path ?? '';
  // Tests that poll for mail exceed the default limit.
  const unlimited = { RATE_LIMIT_PRO: '0' };
  const wholeEnv = { LOG_LEVEL: 'warn', ...unlimited, ...env, DATA_DIR: dataDir };
  const up = await launchUp(wholeEnv, procfile);
  const stop = async () => {
    up.child.kill('SIGTERM');
    const code = await up.exited;
    await folder?.remove();
    return code;
  };
  const processes = () => processesIn(up.output());

  try {
    await announced(up);
  } catch (error) {
    await stop();
    throw error;
  }
  const apiUrl = shown(up, 'API');
  const smtpPort = Number(shown(up, 'SMTP').split(':').at(-1));
  const domain = shown(up, 'Mail domain');
  const token = /^mf_\w+$/.exec(shown(up, 'Token'))?.[0] ?? null;
  return {
    ...up,
    ...{ apiUrl, smtpPort, domain, token, dataDir },
    httpPort: Number(new URL(apiUrl).port),
    rest: restClient(apiUrl, token ?? ''),
    ask: (method, path, body, as = token ?? '') =>
      openApi(() => ({ apiUrl, token: as })).once({ method, path, body }),
    send: async (to, mails, before) => {
      const client = await SmtpClient.open(smtpPort);
      const recipient = to.includes('@') ? to : `${to}@${domain}`;
      const replies: Reply[] = [];
      for (const [n, mail] of mails.entries()) {
        before?.(n);
        const data = Buffer.from(mail);
        replies.push(await client.send({ from: 'load@elsewhere.example', to: [recipient], data }));
      }
      await client.quit();
      return replies;
    },
    processes,
    kill: (name, signal) => {
      const pid = processes().get(name);
      if (pid === undefined) throw new Error(`there is no process ${name}`);
      process.kill(pid, signal);
    },
    stop,
  };
}

/** Whether a process with this pid exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function announced(up: Followed): Promise<void> {
  await eventually(
    'the announcement',
    () => {
      const { exitCode, signalCode } = up.child;
      if (exitCode !== null || signalCode !== null) throw new Error(`up ended:\n${up.output()}`);
      return up.output().includes('Ctrl-C stops everything.');
    },
    START_WITHIN_MS,
  ).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}\n${up.output()}`);
  });
}

function shown(up: Followed, label: string): string {
  const line = new RegExp(`^ {2}${label} +(.+)$`, 'm').exec(up.output());
  if (!line?.[1]) throw new Error(`no "${label}" in:\n${up.output()}`);
  return line[1];
}

function processesIn(output: string): Map<string, number> {
  const started = output.matchAll(/^(\S+) +\| started \(pid (\d+)\)$/gm);
  return new Map([...started].map(([, name = '', pid]) => [name, Number(pid)]));
}
