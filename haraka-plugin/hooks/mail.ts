import { beginEnvelope } from '../envelope.js';
import { mailParametersFault } from './esmtp-parameters.js';
import { type Verdict, closingDown, overByteBudget, notUtf8Sender, senderOk } from '../replies.js';
import type { Runtime } from '../runtime.js';
import { utf8Fault } from './utf8-addresses.js';

/** Replies to MAIL and starts the envelope of the transaction. */
export function answerSender(
  { connections, byteBudget }: Pick<Runtime, 'connections' | 'byteBudget'>,
  connection: Haraka.Connection,
  address: Haraka.Address,
  parameters: Haraka.EsmtpParameters,
): Verdict {
  const allowsUtf8 = 'SMTPUTF8' in parameters;
  if (connection.transaction) {
    beginEnvelope(connection.transaction, byteBudget, connection.notes.dataRate, allowsUtf8);
  }
  if (connections.isDraining()) return closingDown;
  const fault = mailParametersFault(parameters) ?? utf8Fault(address, allowsUtf8, notUtf8Sender);
  if (fault) return fault;
  // RFC 1870 section 6.1: rejects a mail by its announced size, before the client sends it.
  return byteBudget.canReserve(Number(parameters.SIZE ?? 0)) ? senderOk : overByteBudget;
}
