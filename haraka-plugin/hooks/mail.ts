/**
 * Replies to MAIL, and checks the parameters of MAIL and RCPT, which Haraka does not, and addresses
 * that need SMTPUTF8. Parameters that the server does not support get 555 (RFC 5321 section
 * 4.1.1.11), so that a client does not assume they are in effect.
 */
import type { FrontContext } from '../../core/context.ts';
import type { ByteBudget } from '../../core/limits/byte-budget.ts';
import { type AuthCommands, loginOf } from '../auth/exchange.ts';
import type { Login, Logins } from '../auth/login.ts';
import { type Catcher, beginEnvelope } from '../envelope.ts';
import type { ConnectionLimits } from '../limits.ts';
import * as replies from '../replies.ts';
import { MAX_MAIL_BYTES } from '../raw-sink.ts';

/** Dependencies of the hooks. */
export interface HookDependencies {
  readonly front: FrontContext;
  readonly connections: ConnectionLimits;
  readonly logins: Logins;
  readonly auth: AuthCommands;
  /** SMTP_MAX_RECEIVING_BYTES, shared by all mail that is being received. */
  readonly byteBudget: ByteBudget;
}

/** Replies to MAIL of a client without a credential and starts the envelope of the transaction. */
export function replyToMail(
  runtime: Pick<HookDependencies, 'connections' | 'byteBudget' | 'auth' | 'logins'>,
  connection: Haraka.Connection,
  address: Haraka.Address,
  parameters: Haraka.EsmtpParameters,
  catcher: Catcher | null = runtime.logins.catchAll,
): replies.Verdict {
  const { connections, byteBudget, auth } = runtime;
  const allowsUtf8 = 'SMTPUTF8' in parameters;
  if (connection.transaction) {
    const { dataRate } = connection.notes;
    beginEnvelope(connection.transaction, byteBudget, dataRate, allowsUtf8, catcher);
  }
  if (connections.isDraining()) return replies.closingDown;
  if (connection.server.notes.requiresAuth && !loginOf(connection)) return replies.authRequired;
  const fault =
    mailParametersFault(parameters, auth.isOffered(connection)) ??
    utf8Fault(address, allowsUtf8, replies.senderSyntax.unicode);
  if (fault) return fault;
  // RFC 1870 section 6.1: rejects a mail by its announced size, before the client sends it.
  return byteBudget.canReserve(Number(parameters.SIZE ?? 0))
    ? replies.senderOk
    : replies.overByteBudget;
}

/** Replies to MAIL of a client that has logged in. Its credential is looked up for each mail. */
export async function replyToLoggedIn(
  runtime: HookDependencies,
  { entry }: Extract<Login, { kind: 'credential' }>,
  connection: Haraka.Connection,
  address: Haraka.Address,
  parameters: Haraka.EsmtpParameters,
): Promise<replies.Verdict> {
  const found = await runtime.logins.renew(entry);
  if (found === 'away') return replies.tryLater;
  if (found === null) return replies.authRevoked;
  const domain = found.address.slice(found.address.lastIndexOf('@') + 1);
  const { mailboxId, workspaceId, mailboxExpiresAt: expiresAt } = found;
  const receiver = { mailboxId, workspaceId };
  const catcher: Catcher = { kind: 'credential', receiver, domain, expiresAt };
  return replyToMail(runtime, connection, address, parameters, catcher);
}

/** RFC 1870 section 4: `size-value ::= 1*20DIGIT`. */
const SIZE = /^\d{1,20}$/;
/** RFC 6152 section 2. */
const BODY = /^(?:7BIT|8BITMIME)$/i;

/** RFC 4954 section 5: the submitter as xtext (RFC 3461 section 4), or `<>`. */
const AUTH = /^(?:<>|(?:[!-*,-<>-~]|\+[0-9A-F]{2})+)$/;

/** Returns the reply to invalid parameters of MAIL, or null. The submitter of AUTH is not used. */
export function mailParametersFault(
  parameters: Haraka.EsmtpParameters,
  offersAuth: boolean,
): replies.Verdict | null {
  for (const [name, value] of Object.entries(parameters)) {
    if (name === 'SIZE') {
      if (!SIZE.test(value ?? '')) return replies.badSize;
      if (Number(value) > MAX_MAIL_BYTES) return replies.tooBig;
    } else if (name === 'BODY') {
      if (!BODY.test(value ?? '')) return replies.badParameter;
    } else if (name === 'AUTH' && offersAuth) {
      if (!AUTH.test(value ?? '')) return replies.badAuthParameter;
    } else if (name !== 'SMTPUTF8' || value !== null) {
      return replies.badParameter;
    }
  }
  return null;
}

/** Returns the reply to any parameter of RCPT, or null: none is supported. */
export function recipientParametersFault(
  parameters: Haraka.EsmtpParameters,
): replies.Verdict | null {
  return Object.keys(parameters).length > 0 ? replies.badParameter : null;
}

/** The decoder replaces invalid UTF-8, such as Latin-1, with this character. */
const UNDECODABLE = '\u{FFFD}';
const NON_ASCII = /[^\x20-\x7e]/;

/**
 * Returns the reply to a non-ASCII address that cannot be accepted, or null (RFC 6531 sections 3.4
 * and 3.5).
 */
export function utf8Fault(
  { address }: Pick<Haraka.Address, 'address'>,
  allowsUtf8: boolean,
  undecodable: replies.Verdict,
): replies.Verdict | null {
  if (!NON_ASCII.test(address)) return null;
  if (address.includes(UNDECODABLE)) return undecodable;
  return allowsUtf8 ? null : replies.needsSmtpUtf8;
}
