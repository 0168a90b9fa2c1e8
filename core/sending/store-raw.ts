/** Stores a mail that a client sends as bytes, in the same way as mail received by SMTP. */
import { addressFaults, foreignAddressFault, mailboxAddress } from '../addresses.ts';
import type { Caller } from '../auth/caller.ts';
import { markTokenChecked, tokenRevoked } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { newSeed, sentMailIds } from '../ids.ts';
import { rawReference } from '../intake/spool.ts';
import { type MailRecipient, messagesFor } from '../intake/accepted-mail.ts';
import { storeWithFallback } from '../ingest/ingest-steps.ts';
import { mailboxNotFound, requireMailbox } from '../mailboxes/mailboxes.ts';
import { countStored } from './stored-bytes.ts';

interface RawEnvelope {
  /** Null selects the address of the From header. */
  from: string | null;
  /** Recipients of the mail, which are caught; empty for the mailbox itself. */
  to: string[];
}

interface RawUpload {
  raw: Buffer;
  envelope: RawEnvelope;
  /** Aborted when the client closes its connection. */
  gone: AbortSignal;
}

/**
 * Returns the id of the message.
 * @throws {AppError} `not_found` for the mailbox, `unprocessable` for an address, `unauthorized`,
 *   `rate_limited`, `unavailable`.
 */
export async function storeRaw(
  context: Context,
  caller: Caller,
  mailboxName: string,
  { raw, envelope, gone }: RawUpload,
): Promise<string> {
  const { workspace, token } = caller;
  const mailbox = await requireMailbox(context, caller, mailboxName);
  if (envelope.from !== null) requireAddress('from', envelope.from);
  for (const address of envelope.to) requireAddress('to', address);
  const receivedAt = context.now();
  const { messageId, ...ids } = sentMailIds(newSeed(receivedAt));
  const reference = rawReference(ids.ingestId, raw.length);
  const own: MailRecipient = {
    mailboxId: mailbox.id,
    recipient: mailboxAddress(mailbox.name, workspace.domain),
    tag: null,
  };
  const caught = envelope.to.map((recipient) => ({ ...own, recipient, isCaught: true }));
  const outcome = await countStored(context, caller, raw.length, async () => {
    const mail = await context.ingest.reading.parse({ workspaceId: workspace.id, gone }, raw);
    if (reference.in === 'blob') await context.blobs.put(reference.key, raw);
    const accepted = {
      ...ids,
      receivedAt,
      sender: envelope.from ?? mail.from?.address ?? '',
      size: raw.length,
      messages: messagesFor(caught.length > 0 ? caught : [own], receivedAt, messageId),
      raw: reference,
    };
    return storeWithFallback(context, { accepted, mail, raw }, { tokenId: token.id });
  });
  if (outcome === 'revoked') throw tokenRevoked();
  if (outcome === 'gone') throw mailboxNotFound(mailbox.name);
  markTokenChecked(caller);
  return messageId;
}

function requireAddress(parameter: string, address: string): void {
  const fault = foreignAddressFault(address);
  if (fault === null) return;
  const shown = JSON.stringify(address.slice(0, 320));
  throw new AppError(
    'unprocessable',
    `Invalid address ${shown} in "${parameter}": ${addressFaults[fault]}. Nothing was stored.`,
  );
}
