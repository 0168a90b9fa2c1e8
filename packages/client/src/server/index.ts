/** Starts a Mayfly for a test run: on free ports, with a data folder and a token of its own. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mayfly, createClient } from '../index.ts';
import { containerCommand } from './container.ts';
import { findPackage } from './find-package.ts';
import { freePorts } from './free-ports.ts';
import { UNTIL_INPUT_ENDS, start } from './run.ts';

export interface ServerOptions {
  /**
   * The packed service `mayfly-VERSION.tgz`, or a folder with its content. By default the installed
   * package `mayfly`, otherwise `MAYFLY_PACKAGE`.
   */
  package?: string;
  /** The image of the service, which Docker starts instead of the package. */
  image?: string;
  /** Variables of the service, such as `MESSAGE_TTL_MS`. */
  env?: Record<string, string>;
}

export interface MayflyServer {
  readonly client: Mayfly;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly token: string;
  /** What an application needs to send mail, which the mailbox `inbox` catches. */
  readonly smtp: Readonly<{
    url: string;
    host: string;
    port: number;
    username: string;
    password: string;
  }>;
  /** Stops it and removes its data. It also stops when this process ends. */
  readonly stop: () => Promise<void>;
}

const HOST = '127.0.0.1';
const MAILBOX = 'inbox';
/** Loopback and private networks, such as those of containers. */
const NETWORKS = '127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16';

/** The same capture, webhooks and limits for package and image. */
const SETTINGS = {
  BOOTSTRAP_MAILBOX: MAILBOX,
  CATCH_ALL_MAILBOX: `${MAILBOX}@mayfly.localhost`,
  CATCH_ALL_CIDRS: NETWORKS,
  CATCH_ALL_ACCEPT_ANY_AUTH: 'true',
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOWED_CIDRS: NETWORKS,
  RATE_LIMIT_PRO: '0',
  PLAN_PRO_MAILBOXES: '0',
};

/**
 * Resolves when the service is ready.
 * @throws with the end of its output if it does not start
 */
export async function startMayfly(options: ServerOptions = {}): Promise<MayflyServer> {
  const env = {
    ...SETTINGS,
    BOOTSTRAP_TOKEN: randomBytes(32).toString('base64url'),
    BOOTSTRAP_SMTP_PASSWORD: randomBytes(24).toString('base64url'),
    ...options.env,
  };
  const { url, smtpPort, stop } =
    options.image === undefined
      ? await startPackage(options.package, env)
      : await startImage(options.image, env);
  const { BOOTSTRAP_TOKEN: token, BOOTSTRAP_SMTP_PASSWORD: password } = env;
  const smtp = { host: HOST, port: smtpPort, username: MAILBOX, password };
  return {
    ...{ client: createClient({ url, token }), url, token, stop },
    smtp: { url: `smtp://${MAILBOX}:${encodeURIComponent(password)}@${HOST}:${smtpPort}`, ...smtp },
  };
}

interface Place {
  url: string;
  smtpPort: number;
  stop: () => Promise<void>;
}

async function startPackage(
  given: string | undefined,
  env: Record<string, string>,
): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-'));
  try {
    const program = await findPackage(given, folder);
    const readyFile = join(folder, 'ready.json');
    const { PATH, HOME, TMPDIR } = process.env;
    const command = ['sh', '-c', UNTIL_INPUT_ENDS, 'mayfly', folder];
    const { stop } = await start([...command, process.execPath, program, 'up'], {
      // Variables such as DATABASE_URL and PORT are those of the application under test.
      ...{ PATH, HOME, TMPDIR },
      ...{ BIND_HOST: HOST, PORT: '0', SMTP_PORT: '0', LOG_LEVEL: 'warn', ...env },
      ...{ DATA_DIR: join(folder, 'data'), READY_FILE: readyFile },
    });
    const ready = JSON.parse(await readFile(readyFile, 'utf8')) as { url: string; smtpUrl: string };
    return { url: ready.url, smtpPort: Number(new URL(ready.smtpUrl).port), stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function startImage(image: string, env: Record<string, string>): Promise<Place> {
  const [free = 0, freeSmtp = 0] = await freePorts(HOST, 2);
  // The same ports inside, so that the links and settings which the service tells are right.
  const { PORT, SMTP_PORT } = { PORT: `${free}`, SMTP_PORT: `${freeSmtp}`, ...env };
  const url = `http://${HOST}:${PORT}`;
  const variables = { PUBLIC_URL: url, LOG_LEVEL: 'warn', ...env, PORT, SMTP_PORT };
  const command = containerCommand(image, Object.keys(variables), [PORT, SMTP_PORT]);
  const { stop } = await start(command, { ...process.env, ...variables });
  return { url, smtpPort: Number(SMTP_PORT), stop };
}
