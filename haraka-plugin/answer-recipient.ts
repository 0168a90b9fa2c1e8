import constants from 'haraka-constants';
import type { FrontContext } from '../core/context.js';
import { envelopeOf } from './envelope.js';
import { recipientParametersFault } from './esmtp-parameters.js';
import { findRecipient } from './find-recipient.js';
import {
  type Verdict,
  notUtf8Recipient,
  recipientOk,
  textOf,
  tooManyErrors,
  tooManyRecipients,
  tryLater,
} from './replies.js';
import { countUnknownRecipient, slowDown } from './slow-down.js';
import { utf8Fault } from './utf8-addresses.js';

/** A client sends what is refused as too much in its next mail; one that never stops is no client. */
const MAX_OVERSHOOT = 1000;

type Front = Pick<FrontContext, 'config' | 'directory' | 'rawMail' | 'log'>;

/** The answer to RCPT; an accepted recipient is remembered in the envelope. */
export async function answerRecipient(
  front: Front,
  connection: Haraka.Connection,
  address: Haraka.Address,
  parameters: Haraka.EsmtpParameters,
): Promise<Verdict> {
  const envelope = envelopeOf(connection);
  if (!envelope) return tryLater;
  const { recipients, allowsUtf8 } = envelope;
  const { maxRecipients, maxUnknownRecipients } = front.config.smtp;
  if (maxRecipients > 0 && recipients.length >= maxRecipients) {
    envelope.overshoot += 1;
    return envelope.overshoot > MAX_OVERSHOOT ? tooManyErrors : tooManyRecipients;
  }
  const fault =
    recipientParametersFault(parameters) ?? utf8Fault(address, allowsUtf8, notUtf8Recipient);
  if (fault) return fault;

  const found = await findRecipient(front, address);
  if ('mailboxId' in found) {
    await slowDown(connection, maxUnknownRecipients);
    recipients.push(found);
    return recipientOk;
  }
  front.log.info('recipient refused', {
    recipient: address.address,
    remote: connection.remote.ip,
    reply: textOf(found),
  });
  if (found.code === constants.deny) countUnknownRecipient(connection);
  await slowDown(connection, maxUnknownRecipients);
  return found;
}
