/** The part of the configuration that concerns the SMTP side. */
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { cidrs, domain, flag, mailboxAddressValue, port, whole } from './values.js';
import { type Cidr, LOOPBACK } from './cidr.js';

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
  /** Whether each mail gets a line in the log. */
  LOG_MAIL: flag().default(true),
  SMTP_SUBMISSION_PORT: port().optional(),
  SMTPS_PORT: port().optional(),
  SMTP_AUTH_WITHOUT_TLS: flag().optional(),
  CATCH_ALL_MAILBOX: mailboxAddressValue().optional(),
  CATCH_ALL_CIDRS: cidrs().optional(),
  CATCH_ALL_ACCEPT_ANY_AUTH: flag().optional(),
  TLS_SELF_SIGNED: flag().optional(),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
};

/** Certificate and key of SMTP, in PEM. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Whether Mayfly makes them where they are missing. */
  readonly isSelfSigned: boolean;
}

type SmtpEnvironment = z.infer<z.ZodObject<typeof smtpVariables>>;

export function smtpFaults(e: SmtpEnvironment, isPrivate: boolean): string[] {
  const faults: string[] = [];
  if (Boolean(e.TLS_CERT_FILE) !== Boolean(e.TLS_KEY_FILE)) {
    faults.push('TLS_CERT_FILE and TLS_KEY_FILE must be set together');
  }
  const hasTls = Boolean(e.TLS_CERT_FILE) || (e.TLS_SELF_SIGNED ?? isPrivate);
  if (e.SMTPS_PORT !== undefined && !hasTls) {
    faults.push('SMTPS_PORT needs TLS_CERT_FILE and TLS_KEY_FILE');
  }
  const ports = [e.SMTP_PORT, e.SMTP_SUBMISSION_PORT, e.SMTPS_PORT].filter((n) => n !== undefined);
  if (new Set(ports).size < ports.length) {
    faults.push('SMTP_PORT, SMTP_SUBMISSION_PORT and SMTPS_PORT must differ');
  }
  return faults;
}

/** Who is caught without credentials; null for nobody. */
export interface CatchAll {
  /** `name@domain` of the mailbox that catches. */
  readonly mailbox: string;
  /** Whether the operator has named the mailbox. */
  readonly isNamed: boolean;
  /** The networks of the clients. */
  readonly cidrs: readonly Cidr[];
  /** Whether an unknown user name may log in from these networks, with any password. */
  readonly acceptAnyAuth: boolean;
}

/** The mailbox of a private instance that catches mail. */
export const INBOX = 'inbox';

function catchAllConfig(e: SmtpEnvironment, isPrivate: boolean): CatchAll | null {
  const mailbox = e.CATCH_ALL_MAILBOX ?? (isPrivate ? `${INBOX}@${e.MAIL_DOMAIN}` : undefined);
  const networks = e.CATCH_ALL_CIDRS ?? (isPrivate ? LOOPBACK : undefined);
  if (mailbox === undefined || networks === undefined) return null;
  return {
    mailbox,
    isNamed: e.CATCH_ALL_MAILBOX !== undefined,
    cidrs: networks,
    acceptAnyAuth: e.CATCH_ALL_ACCEPT_ANY_AUTH ?? isPrivate,
  };
}

/** Of each limit 0 means none. */
export function smtpConfig(e: SmtpEnvironment, dataDir: string, isPrivate: boolean) {
  return {
    port: e.SMTP_PORT,
    hostname: e.SMTP_HOSTNAME ?? e.MAIL_DOMAIN,
    /** SMTP_HOSTNAME as it was given. */
    givenHostname: e.SMTP_HOSTNAME ?? null,
    postmaster: e.POSTMASTER ?? null,
    maxConnectionsPerIp: e.SMTP_MAX_CONNECTIONS_PER_IP,
    maxRecipients: e.SMTP_MAX_RCPT,
    maxErrors: e.SMTP_MAX_ERRORS,
    maxReceivingBytes: e.SMTP_MAX_RECEIVING_BYTES,
    /** Mails a minute. */
    ratePerIp: e.SMTP_RATE_PER_IP,
    maxJunkCommands: e.SMTP_MAX_JUNK_COMMANDS,
    maxUnknownRecipients: e.SMTP_MAX_UNKNOWN_RCPT,
    /** Bytes a second, after the first `stallMs`. */
    minDataRate: e.SMTP_MIN_DATA_RATE,
    stallMs: e.SMTP_STALL_MS,
    maxDataMs: e.SMTP_MAX_DATA_MS ?? (e.SMTP_MIN_DATA_RATE === 0 ? 0 : 30 * MINUTE_MS),
    /** Without a single byte. */
    idleTimeoutMs: e.SMTP_IDLE_TIMEOUT_MS,
    maxWithoutMailMs: e.SMTP_MAX_WITHOUT_MAIL_MS,
    logMail: e.LOG_MAIL,
    submissionPort: e.SMTP_SUBMISSION_PORT ?? null,
    smtpsPort: e.SMTPS_PORT ?? null,
    /** Whether a password may be sent in the clear. */
    authWithoutTls: e.SMTP_AUTH_WITHOUT_TLS ?? isPrivate,
    catchAll: catchAllConfig(e, isPrivate),
    tls: tlsFiles(e, dataDir, isPrivate),
  };
}

function tlsFiles(e: SmtpEnvironment, dataDir: string, isPrivate: boolean): TlsFiles | null {
  if (e.TLS_CERT_FILE && e.TLS_KEY_FILE) {
    const [certFile, keyFile] = [resolve(e.TLS_CERT_FILE), resolve(e.TLS_KEY_FILE)];
    return { certFile, keyFile, isSelfSigned: false };
  }
  if (!(e.TLS_SELF_SIGNED ?? isPrivate)) return null;
  const folder = join(dataDir, 'tls');
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  return { certFile, keyFile, isSelfSigned: true };
}
