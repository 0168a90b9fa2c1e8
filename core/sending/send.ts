/** Sends mail inside a workspace. It is stored like inbound mail, before the response. */
import { mailboxAddress, parseAddress, recipientAddress } from '../addresses.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { sentMailIds } from '../ids.ts';
import { requireMailbox } from '../mailboxes/mailboxes.ts';
import { type SendRequest, composeOutgoing } from './build-mail.ts';
import { decodeAttachments } from './attachments.ts';
import { resolveRecipients } from './recipients.ts';
import { storeMail } from '../ingest/store-mail.ts';
import type { Caller } from '../auth/caller.ts';
import { markTokenChecked, tokenRevoked } from '../auth/transaction-as.ts';

export interface SendResult {
  /** Id of the message of the first recipient. It also resolves in the other mailboxes. */
  messageId: string;
  /** The distinct requested addresses in lower case, with tags unchanged. */
  deliveredTo: string[];
}

/**
 * Sends a mail from a mailbox to mailboxes of the same workspace; all receive it, or none. One
 * `seed` (a lower-case ULID) never stores two mails.
 * @throws {AppError} `not_found`, `invalid_request`, `payload_too_large`, `unprocessable`,
 *   `unauthorized`.
 */
export async function sendMessage(
  context: Context,
  caller: Caller,
  senderName: string,
  request: SendRequest,
  seed: string,
): Promise<SendResult> {
  const { workspace, token } = caller;
  const mailbox = await requireMailbox(context, caller, senderName);
  const attachments = decodeAttachments(request.attachments ?? []);
  requireOneLine('subject', request.subject);
  requireOneLine('from', request.from ?? '');
  for (const { filename } of attachments) requireOneLine('filename', filename ?? '');
  if (request.to.length === 0) {
    throw new AppError(
      'unprocessable',
      '"to" must contain at least one address. Nothing was sent.',
    );
  }
  const recipients = await resolveRecipients(context, caller, request.to, request.cc ?? []);

  const sender = {
    name: request.from ?? '',
    address: mailboxAddress(mailbox.name, workspace.domain),
  };
  const outgoing = await composeOutgoing(context, {
    sender,
    request,
    recipients,
    attachments,
    seed,
  });
  const outcome = await storeMail(context, outgoing, { tokenId: token.id });
  if (outcome === 'revoked') throw tokenRevoked();
  if (outcome === 'gone') {
    // A recipient was deleted meanwhile; resolving the recipients again reports which one.
    return sendMessage(context, caller, senderName, request, seed);
  }
  markTokenChecked(caller);
  return sentAs(request, seed);
}

/** What a request has sent to valid recipients with this seed. */
export function sentAs({ to, cc = [] }: Pick<SendRequest, 'to' | 'cc'>, seed: string): SendResult {
  const addresses = [...to, ...cc].flatMap((address) => {
    const recipient = parseAddress(address.trim());
    return recipient ? [recipientAddress(recipient)] : [];
  });
  return { messageId: sentMailIds(seed).messageId, deliveredTo: [...new Set(addresses)] };
}

/** Line breaks have no meaning in these header values and usually indicate a bug of the caller. */
function requireOneLine(field: string, value: string): void {
  if (/[\r\n\0]/.test(value)) {
    throw new AppError(
      'unprocessable',
      `"${field}" must not contain line breaks. Nothing was sent.`,
    );
  }
}
