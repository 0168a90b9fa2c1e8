/** Sends mail inside a workspace. It is stored like inbound mail, before the response. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { mailboxAddress, parseAddress, recipientAddress } from '../addresses.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { sentMailIds } from '../ids.ts';
import { requireMailbox } from '../mailboxes/mailboxes.ts';
import type { ParsePool } from '../mime/parser-pool.ts';
import { type SendRequest, composeOutgoing } from './build-mail.ts';
import { composedMail } from './compose-mail.ts';
import { type DecodedAttachment, decodeAttachments } from './attachments.ts';
import { requireAddresses, requireCustomHeaders, requireOneLine } from './custom-headers.ts';
import { resolveRecipients } from './recipients.ts';
import { storeMail } from '../ingest/store-mail.ts';
import { composedBytes, countStored } from './stored-bytes.ts';
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
 *   `unauthorized`, `rate_limited`.
 */
export async function sendMessage(
  context: Context,
  caller: Caller,
  senderName: string,
  request: SendRequest,
  seed: string,
): Promise<SendResult> {
  const mailbox = await requireMailbox(context, caller, senderName);
  const attachments = decodeAttachments(request.attachments ?? []);
  for (const { filename } of attachments) requireOneLine('filename', filename ?? '');
  const files = {
    sizes: attachments.map(({ content }) => content.length),
    read: () => Promise.resolve(attachments),
  };
  return sendFrom(context, caller, { mailbox, request, files, seed });
}

/** A mail is sent to the end, whether or not its client stays. */
const NEVER = new AbortController().signal;

interface Sending {
  mailbox: Pick<MailboxRow, 'name'>;
  request: Omit<SendRequest, 'attachments'>;
  /** Attachments, of which a large mail waits for its turn without the contents. */
  files: { sizes: number[]; read: () => Promise<DecodedAttachment[]> };
  seed: string;
}

/** Same as {@link sendMessage} for a mailbox and attachments that are known. */
export async function sendFrom(
  context: Context,
  caller: Caller,
  sending: Sending,
): Promise<SendResult> {
  const { mailbox, request, files, seed } = sending;
  requireOneLine('subject', request.subject);
  requireOneLine('from', request.from ?? '');
  requireCustomHeaders(request.headers ?? {});
  const replyTo = requireAddresses('replyTo', [request.replyTo ?? []].flat());
  const ownAddress = mailboxAddress(mailbox.name, caller.workspace.domain);
  const [address = ownAddress] = requireAddresses(
    'fromAddress',
    [request.fromAddress ?? []].flat(),
  );
  if (request.to.length === 0) {
    throw new AppError(
      'unprocessable',
      '"to" must contain at least one address. Nothing was sent.',
    );
  }
  const recipients = await resolveRecipients(context, caller, request.to, request.cc ?? []);

  const sender = { name: request.from ?? '', address };
  const { reading } = context.ingest;
  const reader = { workspaceId: caller.workspace.id, gone: NEVER };
  const size = composedBytes(request, files.sizes);
  const store = async (run: ParsePool['run']) => {
    const attachments = await files.read();
    const outgoing = { sender, request, replyTo, recipients, attachments, seed };
    const mail = await composeOutgoing(context, run, outgoing);
    return storeMail(context, mail, { tokenId: caller.token.id });
  };
  const outcome = await countStored(context, caller, size, () =>
    size > composedMail.inlineSize
      ? reading.inTurn(reader, store)
      : store((task, input) => reading.run(reader, task, () => input)),
  );
  if (outcome === 'revoked') throw tokenRevoked();
  if (outcome === 'gone') {
    // A recipient was deleted meanwhile; resolving the recipients again reports which one.
    return sendFrom(context, caller, sending);
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
