/** SMTP configuration. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { domain, flag, port, whole } from './values.js';

const MiB = 1024 * 1024;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const smtpVariables = {
  SMTP_PORT: port().default(2525),
  MAIL_DOMAIN: domain('a domain name').default('mayfly.localhost'),
  SMTP_HOSTNAME: domain('a host name').optional(),
  POSTMASTER: z
    .string()
    .transform((name) => name.toLowerCase())
    .optional(),
  SMTP_MAX_CONNECTIONS_PER_IP: whole(0, 1_000_000).default(100),
  SMTP_MAX_RCPT: whole(0, 100_000).default(1000),
  SMTP_MAX_ERRORS: whole(0, 1_000_000).default(20),
  SMTP_MAX_RECEIVING_BYTES: whole(0, Number.MAX_SAFE_INTEGER).default(320 * MiB),
  SMTP_RATE_PER_IP: whole(0, 1_000_000_000).default(0),
  SMTP_MIN_DATA_RATE: whole(0, 1_000_000_000).default(500),
  SMTP_STALL_MS: whole(100, DAY_MS).default(180_000),
  SMTP_MAX_DATA_MS: whole(0, DAY_MS).optional(),
  SMTP_IDLE_TIMEOUT_MS: whole(0, DAY_MS).default(300_000),
  SMTP_MAX_WITHOUT_MAIL_MS: whole(0, DAY_MS).default(30 * MINUTE_MS),
  SMTP_MAX_JUNK_COMMANDS: whole(0, 1_000_000).default(100),
  SMTP_MAX_UNKNOWN_RCPT: whole(0, 1_000_000).default(20),
  /** Whether each mail is logged. */
  LOG_MAIL: flag().default(true),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
};

type SmtpEnvironment = z.infer<z.ZodObject<typeof smtpVariables>>;

export function smtpFaults(e: SmtpEnvironment): string[] {
  return Boolean(e.TLS_CERT_FILE) === Boolean(e.TLS_KEY_FILE)
    ? []
    : ['TLS_CERT_FILE and TLS_KEY_FILE must be set together'];
}

/** For all limits, 0 means no limit. */
export function smtpConfig(e: SmtpEnvironment) {
  return {
    port: e.SMTP_PORT,
    hostname: e.SMTP_HOSTNAME ?? e.MAIL_DOMAIN,
    postmaster: e.POSTMASTER ?? null,
    maxConnectionsPerIp: e.SMTP_MAX_CONNECTIONS_PER_IP,
    maxRecipients: e.SMTP_MAX_RCPT,
    maxErrors: e.SMTP_MAX_ERRORS,
    maxReceivingBytes: e.SMTP_MAX_RECEIVING_BYTES,
    /** Mails per minute. */
    ratePerIp: e.SMTP_RATE_PER_IP,
    maxJunkCommands: e.SMTP_MAX_JUNK_COMMANDS,
    maxUnknownRecipients: e.SMTP_MAX_UNKNOWN_RCPT,
    /** Bytes per second, after the first `stallMs`. */
    minDataRate: e.SMTP_MIN_DATA_RATE,
    stallMs: e.SMTP_STALL_MS,
    maxDataMs: e.SMTP_MAX_DATA_MS ?? (e.SMTP_MIN_DATA_RATE === 0 ? 0 : 30 * MINUTE_MS),
    /** Time without a byte from the client. */
    idleTimeoutMs: e.SMTP_IDLE_TIMEOUT_MS,
    maxWithoutMailMs: e.SMTP_MAX_WITHOUT_MAIL_MS,
    logMail: e.LOG_MAIL,
    tls:
      e.TLS_CERT_FILE && e.TLS_KEY_FILE
        ? { certFile: resolve(e.TLS_CERT_FILE), keyFile: resolve(e.TLS_KEY_FILE) }
        : null,
  };
}
