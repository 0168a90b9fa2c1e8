import { beginEnvelope } from './envelope.js';
import { mailParametersFault } from './esmtp-parameters.js';
import { type Verdict, closingDown, notUtf8Sender, senderOk } from './replies.js';
import type { Sessions } from './sessions.js';
import { utf8Fault } from './utf8-addresses.js';

/** The answer to MAIL, whose transaction is ours from here on. */
export function answerSender(
  sessions: Pick<Sessions, 'isDraining'>,
  connection: Haraka.Connection,
  address: Haraka.Address,
  parameters: Haraka.EsmtpParameters,
): Verdict {
  const allowsUtf8 = 'SMTPUTF8' in parameters;
  if (connection.transaction) {
    beginEnvelope(connection.transaction, connection.notes.pace, allowsUtf8);
  }
  if (sessions.isDraining()) return closingDown;
  return (
    mailParametersFault(parameters) ?? utf8Fault(address, allowsUtf8, notUtf8Sender) ?? senderOk
  );
}
