/** Starts a Mayfly for a test run: on free ports, with a data folder and a token of its own. */
import { randomBytes } from 'node:crypto';
import { type Mayfly, createClient } from '../index.ts';
import { startImage } from './image.ts';
import { startPackage } from './package.ts';
import { HOST } from './run.ts';

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
  /** What an application needs to send mail, which the mailbox of `BOOTSTRAP_MAILBOX` catches. */
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

/** Loopback and private networks, such as those of containers. */
const NETWORKS = '127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16';

/** The same capture, webhooks and limits for package and image. */
const SETTINGS = {
  BOOTSTRAP_MAILBOX: 'inbox',
  MAIL_DOMAIN: 'mayfly.localhost',
  CATCH_ALL_CIDRS: NETWORKS,
  CATCH_ALL_ACCEPT_ANY_AUTH: 'true',
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOWED_CIDRS: NETWORKS,
  RATE_LIMIT_PRO: '0',
  PLAN_PRO_MAILBOXES: '0',
};

/**
 * Resolves when the service is ready.
 * @throws with the end of its output if it does not start, and for a package that is none
 * @throws {TypeError} for options of the wrong type
 */
export async function startMayfly(options: ServerOptions = {}): Promise<MayflyServer> {
  checkOptions(options);
  const settings = {
    ...SETTINGS,
    BOOTSTRAP_TOKEN: randomBytes(32).toString('base64url'),
    BOOTSTRAP_SMTP_PASSWORD: randomBytes(24).toString('base64url'),
    ...options.env,
  };
  const [username = ''] = settings.BOOTSTRAP_MAILBOX.split('@');
  const env = { CATCH_ALL_MAILBOX: `${username}@${settings.MAIL_DOMAIN}`, ...settings };
  const { url, smtpPort, stop } =
    options.image === undefined
      ? await startPackage(options.package, env)
      : await startImage(options.image, env);
  const { BOOTSTRAP_TOKEN: token, BOOTSTRAP_SMTP_PASSWORD: password } = env;
  const smtp = { host: HOST, port: smtpPort, username, password };
  return {
    ...{ client: createClient({ url, token }), url, token, stop },
    smtp: {
      url: `smtp://${username}:${encodeURIComponent(password)}@${HOST}:${smtpPort}`,
      ...smtp,
    },
  };
}

/** A program in JavaScript can pass anything. */
function checkOptions({ package: given, image }: { package?: unknown; image?: unknown }): void {
  for (const [name, value] of [
    ['package', given],
    ['image', image],
  ] as const) {
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw new TypeError(`startMayfly({ ${name} }) takes a string that is not empty.`);
  }
  if (given !== undefined && image !== undefined)
    throw new TypeError('startMayfly() takes a package or an image, not both.');
}
