import type { FrontContext } from '../../core/context.ts';
import type { ByteBudget } from '../../core/limits/byte-budget.ts';
import { type AuthCommands, loginOf } from '../auth/exchange.ts';
import type { Login, Logins } from '../auth/login.ts';
import { type Catcher, beginEnvelope } from '../envelope.ts';
import type { ConnectionLimits } from '../limits.ts';
import * as replies from '../replies.ts';
import { mailParametersFault, utf8Fault } from './esmtp-parameters.ts';

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
