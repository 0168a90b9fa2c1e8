/** Who a RCPT is for, and the answer to it. */
import { type Recipient, recipientOf } from '../core/addresses.js';
import type { Config } from '../core/config.js';
import type { FrontContext } from '../core/context.js';
import type { AcceptedRecipient } from './envelope.js';
import {
  type Verdict,
  badRecipient,
  queueFull,
  relayDenied,
  tryLater,
  unknownRecipient,
} from './replies.js';

const POSTMASTER = 'postmaster';

/** The mailbox and tag an address stands for, or the refusal. Asks Redis in one round trip. */
export async function findRecipient(
  { config, directory, rawMail }: Pick<FrontContext, 'config' | 'directory' | 'rawMail'>,
  address: Haraka.Address,
): Promise<AcceptedRecipient | Verdict> {
  if (address.user === '') return badRecipient;
  const recipient = resolvePostmaster(config, recipientOf(address.user, address.host));
  const [found, isFull] = await Promise.all([directory.lookup(recipient), rawMail.isFull()]);
  switch (found.outcome) {
    case 'mailbox':
      if (isFull) return queueFull;
      return { mailboxId: found.mailboxId, recipient: address.address, tag: recipient.tag };
    case 'unknown':
      return unknownRecipient;
    case 'foreign':
      return relayDenied;
    case 'incomplete':
      return tryLater;
  }
}

/**
 * RFC 5321 section 4.5.1: postmaster may be written without a domain and must reach somebody. It does
 * so once `POSTMASTER` names the mailbox; else it is a name as any other.
 */
function resolvePostmaster({ smtp, mailDomain }: Config, recipient: Recipient): Recipient {
  if (recipient.name !== POSTMASTER) return recipient;
  return {
    ...recipient,
    name: smtp.postmaster ?? recipient.name,
    domain: recipient.domain || mailDomain,
  };
}
