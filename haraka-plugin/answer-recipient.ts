import constants from 'haraka-constants';
import type { FrontContext } from '../core/context.js';
import { envelopeOf } from './envelope.js';
import { recipientParametersFault } from './esmtp-parameters.js';
import { findRecipient } from './find-recipient.js';
import { type Verdict, recipientOk, textOf, tooManyRecipients, tryLater } from './replies.js';
import { countUnknownRecipient, slowDown } from './slow-down.js';

type Front = Pick<FrontContext, 'config' | 'directory' | 'rawMail' | 'log'>;

/** The answer to RCPT; an accepted recipient is remembered in the envelope. */
export async function answerRecipient(
  front: Front,
  connection: Haraka.Connection,
  address: Haraka.Address,
  parameters: Haraka.EsmtpParameters,
): Promise<Verdict> {
  const recipients = envelopeOf(connection)?.recipients;
  if (!recipients) return tryLater;
  const { maxRecipients } = front.config.smtp;
  if (maxRecipients > 0 && recipients.length >= maxRecipients) return tooManyRecipients;
  const fault = recipientParametersFault(parameters);
  if (fault) return fault;

  const found = await findRecipient(front, address);
  if ('mailboxId' in found) {
    await slowDown(connection);
    recipients.push(found);
    return recipientOk;
  }
  front.log.info('recipient refused', {
    recipient: address.address,
    remote: connection.remote.ip,
    reply: textOf(found),
  });
  if (found.code === constants.deny) countUnknownRecipient(connection);
  await slowDown(connection);
  return found;
}
