/**
 * Configuration: the one reader of the environment. {@link readConfig} turns it into a typed, frozen
 * value and reports every fault at once; what each variable means stands in the README's table.
 */
import { resolve } from 'node:path';
import { z } from 'zod';
import { databaseConfig, databaseFaults, databaseVariables } from './database.js';
import { httpConfig, httpFaults, httpVariables, rateLimits } from './http.js';
import { redisConfig, redisFaults, redisVariables } from './redis.js';
import { s3Config, s3Faults, s3Variables } from './s3.js';
import { smtpConfig, smtpFaults, smtpVariables } from './smtp.js';
import { flag, keyring, whole } from './values.js';
import { webhookConfig, webhookVariables } from './webhooks.js';
import { isLoopback } from './cidr.js';

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

const environment = z.object({
  NODE_ENV: z.string().default('development'),
  ...httpVariables,
  ...smtpVariables,
  BIND_HOST: z.string().default('0.0.0.0'),
  DATA_DIR: z.string().default('./data'),
  ...databaseVariables,
  ...redisVariables,
  ...s3Variables,
  ...webhookVariables,
  ENCRYPTION_KEYS: keyring().optional(),
  MESSAGE_TTL_MS: whole(1000, 10 * 365 * 86_400_000).default(86_400_000),
  PLAN_FREE_MAILBOXES: whole(0, 1_000_000).default(5),
  PLAN_PRO_MAILBOXES: whole(0, 1_000_000).default(500),
  INGEST_MAX_QUEUED_BYTES: whole(1, Number.MAX_SAFE_INTEGER).default(1024 * MiB),
  PARSE_TIMEOUT_MS: whole(1, 600_000).default(20_000),
  WORKER_CONCURRENCY: whole(1, 1000).default(100),
  WORKER_PROCESSES: whole(1, 64).default(1),
  LOG_LEVEL: z
    .enum(['error', 'warn', 'info', 'debug'], 'must be error, warn, info or debug')
    .default('info'),
  OPERATOR_PASSWORD: z.string().min(8, 'must have at least 8 characters').optional(),
  VALIDATE_RESPONSES: flag().default(false),
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
  const production = e.NODE_ENV === 'production';
  const isPrivate = isPrivateInstance(e);
  return Object.freeze({
    role,
    production,
    logLevel: e.LOG_LEVEL,
    dataDir,
    database: databaseConfig(e, dataDir),
    ...redisConfig(e, dataDir),
    s3: s3Config(e),
    bindHost: e.BIND_HOST,
    http: httpConfig(e),
    smtp: smtpConfig(e, dataDir, isPrivate),
    webhooks: webhookConfig(e, isPrivate),
    isPrivate,
    operatorPassword: e.OPERATOR_PASSWORD ?? null,
    validateResponses: e.VALIDATE_RESPONSES,
    mailDomain: e.MAIL_DOMAIN,
    keyring: e.ENCRYPTION_KEYS ?? null,
    messageTtlMs: e.MESSAGE_TTL_MS,
    parseTimeoutMs: e.PARSE_TIMEOUT_MS,
    maxQueuedBytes: e.INGEST_MAX_QUEUED_BYTES,
    trustProxy: e.TRUST_PROXY,
    rateLimits: rateLimits(e),
    mailboxLimits: { free: e.PLAN_FREE_MAILBOXES, pro: e.PLAN_PRO_MAILBOXES },
    worker: { concurrency: e.WORKER_CONCURRENCY, processes: e.WORKER_PROCESSES },
  });
}

/** Whether only programs of this machine reach the instance, which is not in production. */
function isPrivateInstance(e: z.infer<typeof environment>): boolean {
  return isLoopback(e.BIND_HOST) && e.NODE_ENV !== 'production';
}

function crossFaults(e: z.infer<typeof environment>, role: ProcessRole): string[] {
  const faults = [databaseFaults, redisFaults, s3Faults, httpFaults].flatMap((of) => of(e));
  faults.push(...smtpFaults(e, isPrivateInstance(e)));
  const needsKeys = role === 'web' || role === 'worker' || role === 'script';
  if (e.NODE_ENV === 'production' && needsKeys && !e.ENCRYPTION_KEYS) {
    faults.push('ENCRYPTION_KEYS must be set in production');
  }
  return faults;
}
