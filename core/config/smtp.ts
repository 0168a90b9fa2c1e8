/** SMTP configuration. */
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { INBOX, type bootstrapVariables } from './bootstrap.ts';
import { cidrs, domain, flag, mailboxAddressValue, port, portOrFree, whole } from './values.ts';
import { type Cidr, LOOPBACK } from './cidr.ts';

const MiB = 1024 * 1024;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const smtpVariables = {
  SMTP_PORT: portOrFree().default(2525).meta({
    description: 'SMTP port. 465 and 587 are refused. With 0, `scripts/up` chooses a free port.',
  }),
  MAIL_DOMAIN: domain('a domain name')
    .default('mayfly.localhost')
    .meta({ description: 'Domain of the workspace that `scripts/up` creates.' }),
  SMTP_HOSTNAME: domain('a host name').optional().meta({
    description: 'Host name in the SMTP greeting and in the `Received` header field.',
    fallback: '`MAIL_DOMAIN`',
  }),
  POSTMASTER: z
    .string()
    .transform((name) => name.toLowerCase())
    .optional()
    .meta({ description: 'Name of the mailbox that receives mail for `postmaster`.' }),
  SMTP_MAX_CONNECTIONS_PER_IP: whole(0, 1_000_000).default(100).meta({
    description:
      'Largest number of open connections from one client address. 0 disables the limit.',
  }),
  SMTP_MAX_RCPT: whole(0, 100_000)
    .default(1000)
    .meta({ description: 'Largest number of recipients of one mail. 0 disables the limit.' }),
  SMTP_MAX_TAGS: whole(0, 100_000).optional().meta({
    description:
      'Largest number of tags of one mailbox among the recipients of one mail, beside its plain address. 0 disables the limit.',
    fallback: '`0` on a [private instance](#private-instances), else `20`',
  }),
  SMTP_MAX_ERRORS: whole(0, 1_000_000).default(20).meta({
    description:
      'Largest number of errors on one connection. Above half of it, replies to errors are delayed by 1 second. Above it, Mayfly closes the connection with 421. 0 disables the limit.',
  }),
  SMTP_MAX_RECEIVING_BYTES: whole(0, Number.MAX_SAFE_INTEGER)
    .default(320 * MiB)
    .meta({
      description:
        'Largest number of bytes of arriving mail that one SMTP process holds. 0 disables the limit.',
    }),
  SMTP_RATE_PER_IP: whole(0, 1_000_000_000).default(0).meta({
    description:
      'Recipients a minute from one client address. Above this rate, MAIL and RCPT are answered with 450. 0 disables the limit.',
  }),
  SMTP_MIN_DATA_RATE: whole(0, 1_000_000_000).default(500).meta({
    description:
      'Lowest rate in bytes a second at which a mail may arrive; pauses within `SMTP_STALL_MS` are not counted. 0 disables the limit.',
  }),
  SMTP_STALL_MS: whole(100, DAY_MS).default(180_000).meta({
    description:
      'Total pause in milliseconds within one mail that `SMTP_MIN_DATA_RATE` does not count, and the longest time for a command line to arrive.',
  }),
  SMTP_MAX_DATA_MS: whole(0, DAY_MS).optional().meta({
    description: 'Longest time in milliseconds for one mail to arrive. 0 disables the limit.',
    fallback: '`1800000`; `0` when `SMTP_MIN_DATA_RATE` is 0',
  }),
  SMTP_IDLE_TIMEOUT_MS: whole(0, DAY_MS).default(300_000).meta({
    description:
      'Longest time in milliseconds without a byte from the client. 0 disables the limit.',
  }),
  SMTP_MAX_WITHOUT_MAIL_MS: whole(0, DAY_MS)
    .default(30 * MINUTE_MS)
    .meta({
      description:
        'Longest time in milliseconds that a connection lasts without an accepted mail. 0 disables the limit.',
    }),
  SMTP_MAX_JUNK_COMMANDS: whole(0, 1_000_000).default(100).meta({
    description:
      'Number of commands that lead to no mail, such as `NOOP` and `VRFY`, after which each further one counts as an error. 0 disables the limit.',
  }),
  SMTP_MAX_UNKNOWN_RCPT: whole(0, 1_000_000).default(20).meta({
    description:
      'Number of unknown recipients on one connection after which Mayfly delays its reply to each RCPT by 1 second. 0 disables the limit.',
  }),
  SMTP_MAX_UNKNOWN_RCPT_PER_MINUTE: whole(0, 1_000_000_000).default(200).meta({
    description:
      'Largest number of unknown recipients within one minute from one client address, over all its connections. After them, until fewer are in the last minute, Mayfly answers each RCPT of the address with 421 after 1 second and closes the connection, also for a recipient that exists. Clients with one address, such as those behind a NAT, share the limit. Clients that log in, loopback on a [private instance](#private-instances) and `SMTP_RELAY_CIDRS` are exempt. 0 disables the limit.',
  }),
  SMTP_RELAY_CIDRS: cidrs().default([]).meta({
    description:
      'Networks of relays and load balancers in front of SMTP, comma-separated. `SMTP_MAX_UNKNOWN_RCPT_PER_MINUTE` does not apply to them, because all their clients have one address: without this setting, one client that guesses recipients stops the mail of all. The relay or balancer must then limit such clients itself.',
  }),
  LOG_MAIL: flag().default(true).meta({
    description:
      'Logs one line at `info` for each mail that SMTP accepts or refuses, without the content.',
  }),
  SMTP_SUBMISSION_PORT: port().optional().meta({
    description:
      'Second SMTP port, on which AUTH is required before MAIL. Usually 587. Unset disables it.',
  }),
  SMTPS_PORT: port().optional().meta({
    description:
      'SMTP port with implicit TLS, on which AUTH is required before MAIL. Usually 465. Unset disables it.',
  }),
  SMTP_AUTH_WITHOUT_TLS: flag().optional().meta({
    description: 'Offers AUTH on connections without TLS. The password is then sent unencrypted.',
    fallback:
      '`true` on a [private instance](#private-instances) and with `BOOTSTRAP_SMTP_PASSWORD`, else `false`',
  }),
  CATCH_ALL_MAILBOX: mailboxAddressValue().optional().meta({
    description:
      'Mailbox that receives mail for addresses without a mailbox, from clients in `CATCH_ALL_CIDRS`.',
    fallback: '`BOOTSTRAP_MAILBOX` on a [private instance](#private-instances), else none',
  }),
  CATCH_ALL_CIDRS: cidrs().optional().meta({
    description:
      'Networks of the clients whose mail `CATCH_ALL_MAILBOX` receives, comma-separated.',
    fallback: 'loopback on a [private instance](#private-instances), else none',
  }),
  CATCH_ALL_ACCEPT_ANY_AUTH: flag().optional().meta({
    description:
      'Accepts unknown user names with any password from clients in `CATCH_ALL_CIDRS`. Their mail is treated as mail without AUTH.',
    fallback: '`true` on a [private instance](#private-instances), else `false`',
  }),
  TLS_SELF_SIGNED: flag().default(false).meta({
    description:
      'Creates a self-signed certificate in `DATA_DIR/tls` and offers STARTTLS with it, when `TLS_CERT_FILE` is unset.',
  }),
  TLS_CERT_FILE: z
    .string()
    .optional()
    .meta({ description: 'PEM file with the certificate chain for STARTTLS and `SMTPS_PORT`.' }),
  TLS_KEY_FILE: z
    .string()
    .optional()
    .meta({ description: 'PEM file with the private key of `TLS_CERT_FILE`.' }),
};

/** PEM files with the certificate chain and the private key of SMTP. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Whether Mayfly creates missing files. */
  readonly isSelfSigned: boolean;
}

type SmtpEnvironment = z.infer<z.ZodObject<typeof smtpVariables>> &
  z.infer<
    z.ZodObject<Pick<typeof bootstrapVariables, 'BOOTSTRAP_MAILBOX' | 'BOOTSTRAP_SMTP_PASSWORD'>>
  >;

export function smtpFaults(e: SmtpEnvironment): string[] {
  const faults: string[] = [];
  if (Boolean(e.TLS_CERT_FILE) !== Boolean(e.TLS_KEY_FILE)) {
    faults.push('TLS_CERT_FILE and TLS_KEY_FILE must be set together');
  }
  const hasTls = Boolean(e.TLS_CERT_FILE) || e.TLS_SELF_SIGNED;
  if (e.SMTPS_PORT !== undefined && !hasTls) {
    faults.push('SMTPS_PORT requires TLS_CERT_FILE and TLS_KEY_FILE, or TLS_SELF_SIGNED');
  }
  const ports = [e.SMTP_PORT, e.SMTP_SUBMISSION_PORT, e.SMTPS_PORT].filter((n) => n !== undefined);
  if (new Set(ports).size < ports.length) {
    faults.push('SMTP_PORT, SMTP_SUBMISSION_PORT and SMTPS_PORT must differ');
  }
  return faults;
}

/** Catches mail of clients without a credential. */
export interface CatchAll {
  /** `name@domain` of the mailbox that receives caught mail. */
  readonly mailbox: string;
  /** Whether CATCH_ALL_MAILBOX is set to another mailbox than the one that `up` creates. */
  readonly isNamed: boolean;
  /** Networks of the clients whose mail is caught. */
  readonly cidrs: readonly Cidr[];
  /** Whether AUTH accepts an unknown user name with any password from these networks. */
  readonly acceptAnyAuth: boolean;
}

function catchAllConfig(e: SmtpEnvironment, isPrivate: boolean): CatchAll | null {
  const first = `${e.BOOTSTRAP_MAILBOX?.name ?? INBOX}@${e.MAIL_DOMAIN}`;
  const mailbox = e.CATCH_ALL_MAILBOX ?? (isPrivate ? first : undefined);
  const networks = e.CATCH_ALL_CIDRS ?? (isPrivate ? LOOPBACK : undefined);
  if (mailbox === undefined || networks === undefined) return null;
  const { BOOTSTRAP_MAILBOX: made, BOOTSTRAP_SMTP_PASSWORD: password } = e;
  const isMade = mailbox === first && (isPrivate || made !== undefined || password !== undefined);
  return {
    mailbox,
    isNamed: e.CATCH_ALL_MAILBOX !== undefined && !isMade,
    cidrs: networks,
    acceptAnyAuth: e.CATCH_ALL_ACCEPT_ANY_AUTH ?? isPrivate,
  };
}

/** For all limits, 0 means no limit. */
export function smtpConfig(e: SmtpEnvironment, dataDir: string, isPrivate: boolean) {
  return {
    port: e.SMTP_PORT,
    hostname: e.SMTP_HOSTNAME ?? e.MAIL_DOMAIN,
    /** SMTP_HOSTNAME; null if unset. */
    givenHostname: e.SMTP_HOSTNAME ?? null,
    postmaster: e.POSTMASTER ?? null,
    maxConnectionsPerIp: e.SMTP_MAX_CONNECTIONS_PER_IP,
    maxRecipients: e.SMTP_MAX_RCPT,
    /** Of one mailbox in one mail. */
    maxTags: e.SMTP_MAX_TAGS ?? (isPrivate ? 0 : 20),
    maxErrors: e.SMTP_MAX_ERRORS,
    maxReceivingBytes: e.SMTP_MAX_RECEIVING_BYTES,
    /** Recipients per minute. */
    ratePerIp: e.SMTP_RATE_PER_IP,
    maxJunkCommands: e.SMTP_MAX_JUNK_COMMANDS,
    maxUnknownRecipients: e.SMTP_MAX_UNKNOWN_RCPT,
    unknownRecipientsPerMinute: e.SMTP_MAX_UNKNOWN_RCPT_PER_MINUTE,
    /** Networks to which unknownRecipientsPerMinute does not apply. */
    relays: e.SMTP_RELAY_CIDRS,
    /** Bytes per second, after the first `stallMs`. */
    minDataRate: e.SMTP_MIN_DATA_RATE,
    stallMs: e.SMTP_STALL_MS,
    maxDataMs: e.SMTP_MAX_DATA_MS ?? (e.SMTP_MIN_DATA_RATE === 0 ? 0 : 30 * MINUTE_MS),
    /** Time without a byte from the client. */
    idleTimeoutMs: e.SMTP_IDLE_TIMEOUT_MS,
    maxWithoutMailMs: e.SMTP_MAX_WITHOUT_MAIL_MS,
    logMail: e.LOG_MAIL,
    submissionPort: e.SMTP_SUBMISSION_PORT ?? null,
    smtpsPort: e.SMTPS_PORT ?? null,
    /** Whether AUTH is offered without TLS. */
    authWithoutTls:
      e.SMTP_AUTH_WITHOUT_TLS ?? (isPrivate || e.BOOTSTRAP_SMTP_PASSWORD !== undefined),
    catchAll: catchAllConfig(e, isPrivate),
    tls: tlsFiles(e, dataDir),
  };
}

function tlsFiles(e: SmtpEnvironment, dataDir: string): TlsFiles | null {
  if (e.TLS_CERT_FILE && e.TLS_KEY_FILE) {
    const [certFile, keyFile] = [resolve(e.TLS_CERT_FILE), resolve(e.TLS_KEY_FILE)];
    return { certFile, keyFile, isSelfSigned: false };
  }
  if (!e.TLS_SELF_SIGNED) return null;
  const folder = join(dataDir, 'tls');
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  return { certFile, keyFile, isSelfSigned: true };
}
