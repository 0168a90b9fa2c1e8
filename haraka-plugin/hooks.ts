/** Which of Haraka's hooks we answer, and with what. Haraka registers each `hook_NAME` by itself. */
import constants from 'haraka-constants';
import { acceptMail } from './accept-mail.js';
import { answerRecipient } from './answer-recipient.js';
import { answeringWith } from './answering.js';
import { beginEnvelope, envelopeOf } from './envelope.js';
import { mailParametersFault } from './esmtp-parameters.js';
import { bridgeLog } from './log-bridge.js';
import { MAX_MAIL_BYTES } from './raw-sink.js';
import * as replies from './replies.js';
import type { Runtime } from './runtime.js';

const MAX_RECEIVED_FIELDS = 100;
const MAX_UNKNOWN_COMMANDS = 20;

type AddressAndParameters = [Haraka.Address, Haraka.EsmtpParameters];

export function createHooks({ front, sessions }: Runtime) {
  const answering = answeringWith(front);

  return {
    hook_log: bridgeLog(front.log),

    /** The first hook of a connection; its name is never looked up, since nothing depends on it. */
    hook_lookup_rdns(next: Haraka.Next, connection: Haraka.Connection) {
      if (sessions.open(connection)) next(constants.ok, 'NXDOMAIN');
      else next(replies.tooManyConnections.code, replies.tooManyConnections.reply);
    },

    hook_disconnect(next: Haraka.Next, connection: Haraka.Connection) {
      sessions.closed(connection);
      next();
    },

    /** RFC 1870: Haraka itself has no limit set and would say `SIZE 0`. */
    hook_capabilities(next: Haraka.Next, connection: Haraka.Connection) {
      connection.capabilities = connection.capabilities.map((line) =>
        line.startsWith('SIZE ') ? `SIZE ${MAX_MAIL_BYTES}` : line,
      );
      next();
    },

    hook_unrecognized_command(next: Haraka.Next, connection: Haraka.Connection) {
      if (connection.errors < MAX_UNKNOWN_COMMANDS) next();
      else next(replies.tooManyErrors.code, replies.tooManyErrors.reply);
    },

    hook_mail(
      next: Haraka.Next,
      connection: Haraka.Connection,
      [, parameters]: AddressAndParameters,
    ) {
      if (connection.transaction) beginEnvelope(connection.transaction, front.now);
      const verdict = sessions.isDraining()
        ? replies.closingDown
        : (mailParametersFault(parameters) ?? replies.senderOk);
      next(verdict.code, verdict.reply);
    },

    hook_rcpt: answering<AddressAndParameters>((connection, [address, parameters]) =>
      answerRecipient(front, connection, address, parameters),
    ),

    /** The final dot has been read. Done here and not in `queue`, whose replies have fixed codes. */
    hook_data_post: answering(async (connection) => {
      const mail = envelopeOf(connection);
      if (!connection.transaction || !mail) return replies.tryLater;
      if (mail.sink.isTooBig) return replies.tooBig;
      if (mail.sink.receivedFields > MAX_RECEIVED_FIELDS) return replies.mailLoop;
      mail.ingestId = await acceptMail(front, connection.transaction.mail_from.address, mail);
      return replies.goOn;
    }),

    hook_queue(next: Haraka.Next, connection: Haraka.Connection) {
      const ingestId = envelopeOf(connection)?.ingestId;
      if (ingestId) next(constants.ok, `2.0.0 Accepted as ${ingestId}`);
      else next();
    },
  };
}
