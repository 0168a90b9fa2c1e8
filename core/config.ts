/**
 * Configuration: the one reader of the environment. {@link readConfig} turns it into a typed, frozen
 * value and reports every fault at once; what each variable means stands in the README's table.
 */
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { isDomainName, normaliseDomain } from './addresses.js';
import { s3Config, s3Faults, s3Variables } from './config-s3.js';
import { errorText } from './errors.js';
import { isLoopback, parseCidr } from './ip-policy.js';
import { parseKeyring } from './keyring.js';
import { embeddedRedisSocket } from './redis-socket.js';

const LOOPBACK = ['127.0.0.0/8', '::1/128'].map(parseCidr);
const MiB = 1024 * 1024;

/** Which process asks: `smtp` reads no keys, `migrate` needs nothing but the database. */
export type ProcessRole = 'web' | 'worker' | 'smtp' | 'script' | 'migrate';

/** Every fault found in the environment, one line each. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`);
const port = () => whole(1, 65535);
const domain = (what: string) =>
  z.string().transform(normaliseDomain).refine(isDomainName, `must be ${what}`);
const flag = () =>
  z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');
const cidrs = z.string().transform((text, check) => {
  try {
    return text.split(',').map(parseCidr);
  } catch (error) {
    check.addIssue({ code: 'custom', message: errorText(error) });
    return z.NEVER;
  }
});
const MAX_DELAY_MS = 7 * 86_400_000;
const delays = z
  .string()
  .regex(/^\d+(?:,\d+)*$/, 'must be milliseconds, comma-separated')
  .transform((text) => text.split(',').map(Number))
  .refine((list) => list.length <= 20 && list.every((ms) => ms <= MAX_DELAY_MS), {
    error: `must be at most 20 delays of at most ${MAX_DELAY_MS}`,
  });
const keyring = z.string().transform((text, check) => {
  try {
    return parseKeyring(text);
  } catch (error) {
    check.addIssue({ code: 'custom', message: errorText(error) });
    return z.NEVER;
  }
});

const environment = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: port().default(3000),
  SMTP_PORT: port().default(2525),
  BIND_HOST: z.string().default('0.0.0.0'),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z
    .string()
    .regex(/^sqlite:.+/, 'must be sqlite:PATH')
    .optional(),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\/.+/, 'must begin with redis:// or rediss://')
    .optional(),
  REDIS_PREFIX: z
    .string()
    .regex(/^\{[^{}:]+\}$/, 'must be one hash tag such as {mayfly}')
    .default('{mayfly}'),
  ...s3Variables,
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  MAIL_DOMAIN: domain('a domain name').default('mayfly.localhost'),
  SMTP_HOSTNAME: domain('a host name').optional(),
  POSTMASTER: z
    .string()
    .transform((name) => name.toLowerCase())
    .optional(),
  ENCRYPTION_KEYS: keyring.optional(),
  MESSAGE_TTL_MS: whole(1000, 10 * 365 * 86_400_000).default(86_400_000),
  PLAN_FREE_MAILBOXES: whole(0, 1_000_000).default(5),
  PLAN_PRO_MAILBOXES: whole(0, 1_000_000).default(500),
  RATE_LIMIT_FREE: whole(0, 1_000_000_000).default(120),
  RATE_LIMIT_PRO: whole(0, 1_000_000_000).default(1200),
  RATE_LIMIT_AUTH_FAILURES: whole(0, 1_000_000_000).default(100),
  TRUST_PROXY: whole(0, 100).default(0),
  SMTP_MAX_CONNECTIONS_PER_IP: whole(0, 1_000_000).default(100),
  SMTP_MAX_RCPT: whole(0, 100_000).default(1000),
  SMTP_MAX_ERRORS: whole(0, 1_000_000).default(20),
  SMTP_RATE_PER_IP: whole(0, 1_000_000_000).default(0),
  SMTP_MIN_DATA_RATE: whole(0, 1_000_000_000).default(500),
  SMTP_STALL_MS: whole(100, 3_600_000).default(60_000),
  INGEST_MAX_QUEUED_BYTES: whole(1, Number.MAX_SAFE_INTEGER).default(1024 * MiB),
  PARSE_TIMEOUT_MS: whole(1, 600_000).default(20_000),
  WORKER_CONCURRENCY: whole(1, 1000).default(100),
  WORKER_PROCESSES: whole(1, 64).default(1),
  LOG_LEVEL: z
    .enum(['error', 'warn', 'info', 'debug'], 'must be error, warn, info or debug')
    .default('info'),
  WEBHOOK_ALLOW_HTTP: flag().optional(),
  WEBHOOK_ALLOWED_CIDRS: cidrs.optional(),
  WEBHOOKS_PER_MAILBOX: whole(0, 1_000_000).default(50),
  WEBHOOK_RETRY_SCHEDULE_MS: delays.default([30_000, 300_000, 1_800_000, 7_200_000, 21_600_000]),
  WEBHOOK_TIMEOUT_MS: whole(1, 600_000).default(10_000),
  WEBHOOK_CONCURRENCY: whole(1, 10_000).default(200),
  WEBHOOK_PAUSE_ON_410: flag().default(false),
  WEBHOOK_PAUSE_AFTER_ABANDONED: whole(1, 1_000_000).default(3),
  WEBHOOK_PAUSE_AFTER_MS: whole(0, 365 * 86_400_000).default(86_400_000),
  WEBHOOK_HONOUR_RETRY_AFTER: flag().default(false),
  OPERATOR_PASSWORD: z.string().min(8, 'must have at least 8 characters').optional(),
  VALIDATE_RESPONSES: flag().default(false),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
});

export type Config = ReturnType<typeof readConfig>;

/**
 * The configuration of one process. An empty variable counts as unset.
 * @throws {ConfigError} naming every variable that is wrong or missing.
 */
export function readConfig(env: NodeJS.ProcessEnv, role: ProcessRole) {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(given);
  const faults = parsed.success
    ? crossFaults(parsed.data, role)
    : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);

  const e = parsed.data;
  const dataDir = resolve(e.DATA_DIR);
  return Object.freeze({
    role,
    production: e.NODE_ENV === 'production',
    logLevel: e.LOG_LEVEL,
    dataDir,
    databasePath: sqlitePath(e.DATABASE_URL, dataDir),
    redis: e.REDIS_URL ?? embeddedRedisSocket(dataDir),
    redisIsEmbedded: e.REDIS_URL === undefined,
    redisPrefix: e.REDIS_PREFIX,
    s3: s3Config(e),
    bindHost: e.BIND_HOST,
    http: {
      port: e.PORT,
      publicUrl: (e.PUBLIC_URL ?? `http://localhost:${e.PORT}`).replace(/\/+$/, ''),
    },
    smtp: {
      port: e.SMTP_PORT,
      hostname: e.SMTP_HOSTNAME ?? e.MAIL_DOMAIN,
      postmaster: e.POSTMASTER ?? null,
      maxConnectionsPerIp: e.SMTP_MAX_CONNECTIONS_PER_IP,
      maxRecipients: e.SMTP_MAX_RCPT,
      maxErrors: e.SMTP_MAX_ERRORS,
      /** Mails a minute. */
      ratePerIp: e.SMTP_RATE_PER_IP,
      /** Bytes a second, on average over `stallMs`. */
      minDataRate: e.SMTP_MIN_DATA_RATE,
      stallMs: e.SMTP_STALL_MS,
      tls:
        e.TLS_CERT_FILE && e.TLS_KEY_FILE
          ? { certFile: resolve(e.TLS_CERT_FILE), keyFile: resolve(e.TLS_KEY_FILE) }
          : null,
    },
    webhooks: {
      ...webhookPolicy(e),
      /** 0 for no limit. */
      perMailbox: e.WEBHOOKS_PER_MAILBOX,
      /** Milliseconds from the end of each failure to the next attempt; after the last one, none. */
      retrySchedule: e.WEBHOOK_RETRY_SCHEDULE_MS,
      timeoutMs: e.WEBHOOK_TIMEOUT_MS,
      concurrency: e.WEBHOOK_CONCURRENCY,
      pauseOn410: e.WEBHOOK_PAUSE_ON_410,
      pauseAfterAbandoned: e.WEBHOOK_PAUSE_AFTER_ABANDONED,
      pauseAfterMs: e.WEBHOOK_PAUSE_AFTER_MS,
      honourRetryAfter: e.WEBHOOK_HONOUR_RETRY_AFTER,
    },
    operatorPassword: e.OPERATOR_PASSWORD ?? null,
    validateResponses: e.VALIDATE_RESPONSES,
    mailDomain: e.MAIL_DOMAIN,
    keyring: e.ENCRYPTION_KEYS ?? null,
    messageTtlMs: e.MESSAGE_TTL_MS,
    parseTimeoutMs: e.PARSE_TIMEOUT_MS,
    maxQueuedBytes: e.INGEST_MAX_QUEUED_BYTES,
    trustProxy: e.TRUST_PROXY,
    rateLimits: {
      free: e.RATE_LIMIT_FREE,
      pro: e.RATE_LIMIT_PRO,
      authFailures: e.RATE_LIMIT_AUTH_FAILURES,
    },
    mailboxLimits: { free: e.PLAN_FREE_MAILBOXES, pro: e.PLAN_PRO_MAILBOXES },
    worker: { concurrency: e.WORKER_CONCURRENCY, processes: e.WORKER_PROCESSES },
  });
}

/** A private instance may call its own machine in plain HTTP; one that others reach may not, unless told so. */
function webhookPolicy(e: z.infer<typeof environment>) {
  const isPrivate = isLoopback(e.BIND_HOST) && e.NODE_ENV !== 'production';
  return {
    allowHttp: e.WEBHOOK_ALLOW_HTTP ?? isPrivate,
    allowedCidrs: e.WEBHOOK_ALLOWED_CIDRS ?? (isPrivate ? LOOPBACK : []),
  };
}

function crossFaults(e: z.infer<typeof environment>, role: ProcessRole): string[] {
  const faults = s3Faults(e);
  if (Boolean(e.TLS_CERT_FILE) !== Boolean(e.TLS_KEY_FILE)) {
    faults.push('TLS_CERT_FILE and TLS_KEY_FILE must be set together');
  }
  const needsKeys = role === 'web' || role === 'worker' || role === 'script';
  if (e.NODE_ENV === 'production' && needsKeys && !e.ENCRYPTION_KEYS) {
    faults.push('ENCRYPTION_KEYS must be set in production');
  }
  return faults;
}

function sqlitePath(url: string | undefined, dataDir: string): string {
  if (url === undefined) return join(dataDir, 'mayfly.sqlite');
  const path = url.slice('sqlite:'.length);
  return isAbsolute(path) ? path : resolve(path);
}
