/**
 * Configuration: the only reader of the environment. {@link readConfig} returns a typed, frozen
 * value and reports all faults at once. docs/configuration.md lists the variables.
 */
import { resolve } from 'node:path';
import * as z from 'zod';
import { bootstrapConfig, bootstrapFaults, bootstrapVariables } from './bootstrap.ts';
import { databaseConfig, databaseFaults, databaseVariables } from './database.ts';
import { httpConfig, httpFaults, httpVariables, rateLimits } from './http.ts';
import { redisConfig, redisFaults, redisVariables } from './redis.ts';
import { s3Config, s3Faults, s3Variables } from './s3.ts';
import { smtpConfig, smtpFaults, smtpVariables } from './smtp.ts';
import { flag, keyring, whole } from './values.ts';
import { webhookConfig, webhookVariables } from './webhooks.ts';
import { isLoopback } from './cidr.ts';

const MiB = 1024 * 1024;

/** The process that reads the configuration: `smtp` reads no keys, `migrate` only the database. */
export type ProcessRole = 'web' | 'worker' | 'smtp' | 'script' | 'migrate';

/** All faults of the environment, one per line. */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`Invalid configuration:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

const serviceVariables = {
  NODE_ENV: z.string().default('development').meta({
    description: '`production` requires `ENCRYPTION_KEYS` and a Redis with an append-only file.',
  }),
  BIND_HOST: z.string().default('0.0.0.0').meta({
    description: 'Address on which HTTP and SMTP listen.',
    fallback: '`127.0.0.1` under `scripts/up`, else `0.0.0.0`',
  }),
  DATA_DIR: z.string().default('./data').meta({
    description:
      'Directory for the SQLite file, blobs, the embedded Redis and generated secrets. Other users cannot read its files; see [file access](operating.md#file-access).',
  }),
  ENCRYPTION_KEYS: keyring().optional().meta({
    description:
      'Keys for tokens and webhook secrets: `ID:BASE64` of 32 bytes, newest first, comma-separated. Required in production.',
    fallback: 'generated once in `DATA_DIR`',
  }),
  MESSAGE_TTL_MS: whole(1000, 10 * 365 * 86_400_000)
    .default(86_400_000)
    .meta({ description: 'Time in milliseconds that a message is kept.' }),
  PLAN_FREE_MAILBOXES: whole(0, 1_000_000).default(5).meta({
    description:
      'Largest number of mailboxes of a workspace on the Free plan. 0 disables the limit.',
  }),
  PLAN_PRO_MAILBOXES: whole(0, 1_000_000).default(500).meta({
    description:
      'Largest number of mailboxes of a workspace on the Pro plan. 0 disables the limit.',
  }),
  INGEST_MAX_QUEUED_BYTES: whole(1, Number.MAX_SAFE_INTEGER)
    .default(1024 * MiB)
    .meta({
      description:
        'Largest number of bytes of accepted mail, with its jobs, that wait to be stored. Above it, SMTP answers 452.',
    }),
  PARSE_TIMEOUT_MS: whole(1, 600_000).default(20_000).meta({
    description:
      'Time limit in milliseconds of a child process for a mail. After it, the message has only the header fields, or a request for its content gets 503.',
  }),
  WORKER_CONCURRENCY: whole(1, 1000).default(100).meta({
    description:
      'Largest number of ingest jobs that one worker runs concurrently. A job has up to 50 messages.',
  }),
  WORKER_PROCESSES: whole(1, 64)
    .default(1)
    .meta({ description: 'Number of workers that `scripts/up` starts.' }),
  LOG_LEVEL: z
    .enum(['error', 'warn', 'info', 'debug'], 'must be error, warn, info or debug')
    .default('info')
    .meta({ description: 'Lowest level that is logged.' }),
  LOG_PREFIX: z.string().default('').meta({
    description: 'Text before each line of the log.',
    fallback: 'the name of the process under `scripts/up`, else nothing',
  }),
  OPERATOR_PASSWORD: z.string().min(8, 'must have at least 8 characters').optional().meta({
    description:
      'Password of the user `operator` for `/metrics` and `/admin/queues`. In production, both pages exist only if it is set.',
    accepts: '8 characters or more',
    fallback: 'generated once in `DATA_DIR`',
  }),
  SEARCH_INDEX: z.enum(['on', 'off'], 'must be on or off').default('on').meta({
    description:
      'Whether stored mail is added to a search index. With `off`, a search reads the messages themselves.',
  }),
  VALIDATE_RESPONSES: flag()
    .default(false)
    .meta({ description: 'Checks responses against `openapi.yaml`.' }),
};

/** Every variable by subject. The metadata of each is its row in docs/configuration.md. */
export const variables = {
  service: serviceVariables,
  bootstrap: bootstrapVariables,
  http: httpVariables,
  smtp: smtpVariables,
  database: databaseVariables,
  redis: redisVariables,
  blobs: s3Variables,
  webhooks: webhookVariables,
};

const environment = z.object({
  ...httpVariables,
  ...smtpVariables,
  ...databaseVariables,
  ...redisVariables,
  ...s3Variables,
  ...webhookVariables,
  ...bootstrapVariables,
  ...serviceVariables,
});

/** The names of all variables that are read. */
export const variableNames: readonly string[] = Object.keys(environment.shape);

export type Config = ReturnType<typeof readConfig>;

/**
 * Reads the configuration of one process. Whitespace at the ends of a value is removed, such as
 * the line end of a secret that comes from a file. An empty variable counts as unset.
 * @throws {ConfigError} naming every variable that is invalid or missing.
 */
export function readConfig(env: NodeJS.ProcessEnv, role: ProcessRole) {
  const trimmed = Object.entries(env).map(([name, value = '']) => [name, value.trim()] as const);
  const given = Object.fromEntries(trimmed.filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  const faults = parsed.success
    ? crossFaults(parsed.data, role)
    : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);

  const e = parsed.data;
  const dataDir = resolve(e.DATA_DIR);
  const production = e.NODE_ENV === 'production';
  const isPrivate = isPrivateInstance(e);
  return Object.freeze({
    role,
    production,
    logLevel: e.LOG_LEVEL,
    logPrefix: e.LOG_PREFIX,
    dataDir,
    database: databaseConfig(e, dataDir),
    ...redisConfig(e, dataDir),
    s3: s3Config(e),
    bindHost: e.BIND_HOST,
    http: httpConfig(e),
    bootstrap: bootstrapConfig(e),
    smtp: smtpConfig(e, dataDir, isPrivate),
    webhooks: webhookConfig(e, isPrivate),
    isPrivate,
    operatorPassword: e.OPERATOR_PASSWORD ?? null,
    validateResponses: e.VALIDATE_RESPONSES,
    mailDomain: e.MAIL_DOMAIN,
    keyring: e.ENCRYPTION_KEYS ?? null,
    messageTtlMs: e.MESSAGE_TTL_MS,
    searchIndex: e.SEARCH_INDEX === 'on',
    parseTimeoutMs: e.PARSE_TIMEOUT_MS,
    maxQueuedBytes: e.INGEST_MAX_QUEUED_BYTES,
    trustProxy: e.TRUST_PROXY,
    rateLimits: rateLimits(e, isPrivate),
    mailboxLimits: { free: e.PLAN_FREE_MAILBOXES, pro: e.PLAN_PRO_MAILBOXES },
    worker: { concurrency: e.WORKER_CONCURRENCY, processes: e.WORKER_PROCESSES },
  });
}

/** Whether the instance listens on a loopback address and is not in production. */
function isPrivateInstance(e: z.infer<typeof environment>): boolean {
  return isLoopback(e.BIND_HOST) && e.NODE_ENV !== 'production';
}

function crossFaults(e: z.infer<typeof environment>, role: ProcessRole): string[] {
  const faults = [
    ...[databaseFaults, redisFaults, s3Faults, httpFaults, smtpFaults, bootstrapFaults].flatMap(
      (of) => of(e),
    ),
    ...portFaults(e, role),
  ];
  const needsKeys = role === 'web' || role === 'worker' || role === 'script';
  if (e.NODE_ENV === 'production' && needsKeys && !e.ENCRYPTION_KEYS) {
    faults.push('ENCRYPTION_KEYS must be set in production');
  }
  return faults;
}

/** Only `up` chooses ports, and passes them on to its processes. */
function portFaults(e: z.infer<typeof environment>, role: ProcessRole): string[] {
  if (role === 'script' || role === 'migrate') return [];
  return (['PORT', 'SMTP_PORT'] as const)
    .filter((name) => e[name] === 0)
    .map((name) => `${name} must be from 1 to 65535, because only scripts/up chooses a free port`);
}
