/** What `up` creates, and the file that says when it is ready. */
import { resolve } from 'node:path';
import * as z from 'zod';
import { normalizeDomain, parseAddress, slugFault } from '../addresses.ts';
import { secret } from './values.ts';

const MIN_TOKEN = 32;
const MIN_PASSWORD = 16;

/** Name of the mailbox that receives caught mail on a private instance. */
export const INBOX = 'inbox';

/** The name of a mailbox; null for the domain of the first workspace. */
interface NamedMailbox {
  name: string;
  domain: string | null;
}

const mailboxName = () =>
  z
    .string()
    .transform((text, check): NamedMailbox => {
      const address = text.includes('@') ? parseAddress(text) : null;
      const name = address?.name ?? text.toLowerCase();
      const fault = address?.tag == null ? slugFault(name) : 'Leave the tag out.';
      if (fault === null) return { name, domain: address?.domain ?? null };
      const message = `must be the name or address of a mailbox. ${fault}`;
      check.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({ accepts: 'name or `name@MAIL_DOMAIN`' });

export const bootstrapVariables = {
  BOOTSTRAP_TOKEN: secret(MIN_TOKEN).optional().meta({
    description:
      'Token of the workspace that `scripts/up` creates. Another value is refused while a token exists.',
    fallback: 'a random one, which `scripts/up` prints once',
  }),
  BOOTSTRAP_MAILBOX: mailboxName().optional().meta({
    description: 'Mailbox that `scripts/up` creates.',
    fallback:
      '`inbox` on a [private instance](#private-instances) or with `BOOTSTRAP_SMTP_PASSWORD`, else none',
  }),
  BOOTSTRAP_SMTP_PASSWORD: secret(MIN_PASSWORD).optional().meta({
    description:
      'Password of an SMTP credential that `scripts/up` creates for `BOOTSTRAP_MAILBOX`. The user name is the name of the mailbox.',
    fallback: 'a random credential on a [private instance](#private-instances), else none',
  }),
  READY_FILE: z.string().optional().meta({
    description:
      'File that `scripts/up` writes when Mayfly is ready, with the URLs, the token and `SMTP_URL` as JSON, and removes when it stops.',
    accepts: 'path',
  }),
};

type BootstrapEnvironment = z.infer<z.ZodObject<typeof bootstrapVariables>> & {
  MAIL_DOMAIN: string;
};

export function bootstrapFaults({
  BOOTSTRAP_MAILBOX,
  MAIL_DOMAIN,
}: BootstrapEnvironment): string[] {
  const domain = BOOTSTRAP_MAILBOX?.domain ?? null;
  return domain === null || normalizeDomain(domain) === MAIL_DOMAIN
    ? []
    : [`BOOTSTRAP_MAILBOX must be in the domain of MAIL_DOMAIN, ${MAIL_DOMAIN}`];
}

export function bootstrapConfig(e: BootstrapEnvironment) {
  return {
    token: e.BOOTSTRAP_TOKEN ?? null,
    /** The name of the first mailbox. */
    mailbox: e.BOOTSTRAP_MAILBOX?.name ?? INBOX,
    /** Whether each start creates the mailbox if it is missing. */
    needsMailbox: e.BOOTSTRAP_MAILBOX !== undefined || e.BOOTSTRAP_SMTP_PASSWORD !== undefined,
    smtpPassword: e.BOOTSTRAP_SMTP_PASSWORD ?? null,
    readyFile: e.READY_FILE === undefined ? null : resolve(e.READY_FILE),
  };
}
