/** Compares two messages, such as the mails of two versions of an application. */
import { mailboxesById } from '../../../db/statements/mailboxes.ts';
import { messageSummariesById } from '../../../db/statements/messages.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { type MailboxRow, findMailbox, requireMailbox } from '../../mailboxes/mailboxes.ts';
import type { Reader } from '../../mime/reading.ts';
import { contentOf } from '../extractions.ts';
import { attachmentName } from '../files.ts';
import { type Message, requireMessageWithFiles } from '../messages.ts';
import { findMessage } from '../resolve-id.ts';
import { diffJson } from './compare.ts';
import type { Compared } from './compared-lines.ts';

/** A message id, with or without the name or address of its mailbox. */
const OTHER = /^(?:(.+)\/)?(msg_[0-9a-z]{1,26})$/s;
/**
 * Compares a message of the mailbox with another one that the caller can use.
 * @returns JSON
 * @param withText `msg_...` or `mailbox/msg_...`
 * @throws {AppError} `invalid_request` for the other id, `not_found` for either message.
 */
export async function diffMessages(
  context: Context,
  { caller, reader }: { caller: Caller; reader: Reader },
  mailbox: MailboxRow,
  id: string,
  withText: string,
): Promise<Buffer> {
  const [, otherMailbox, otherId] = OTHER.exec(withText) ?? [];
  if (otherId === undefined) {
    throw new AppError(
      'invalid_request',
      '"with" must be the id of a message (msg_...), or mailbox/msg_... for one of another mailbox.',
    );
  }
  const one = await requireMessageWithFiles(context, mailbox, id, reader.admit);
  const place = { mailbox, name: otherMailbox, id: otherId };
  const other = await otherMessage(context, { caller, reader }, place);
  const names = { before: one.message.id, after: other.message.id };
  return context.ingest.reading.run(reader, diffJson, async () => {
    return {
      names,
      before: await comparedOf(context, one),
      after: await comparedOf(context, other),
    };
  });
}

async function comparedOf(context: Context, shown: Message): Promise<Compared> {
  const attachments = shown.attachments.map((row) => {
    return { name: attachmentName(row), contentType: row.contentType, size: row.size };
  });
  return { ...(await contentOf(context, shown)), attachments };
}

async function otherMessage(
  context: Pick<Context, 'now' | 'store'>,
  { caller, reader: { admit } }: { caller: Caller; reader: Reader },
  { mailbox, name, id }: { mailbox: MailboxRow; name: string | undefined; id: string },
): Promise<Message> {
  if (name !== undefined) {
    return requireMessageWithFiles(context, await requireMailbox(context, caller, name), id, admit);
  }
  const place = (await findMessage(context, mailbox, id))
    ? mailbox
    : await mailboxOf(context, caller, id);
  return requireMessageWithFiles(context, place ?? mailbox, id, admit);
}

/** The mailbox of a message, if the caller can use it. */
async function mailboxOf(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  id: string,
): Promise<MailboxRow | undefined> {
  const [found] = await messageSummariesById(context.store, [id]);
  if (!found) return undefined;
  const ids = [found.message.mailboxId];
  const [row] = await context.store.query(mailboxesById, caller.workspace.id, ids);
  return row && findMailbox(context, caller, row.name);
}
