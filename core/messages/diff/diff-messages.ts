/** Compares two messages, such as the mails of two versions of an application. */
import { mailboxesById } from '../../../db/statements/mailboxes.ts';
import { messagesById } from '../../../db/statements/messages.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { type MailboxRow, findMailbox, requireMailbox } from '../../mailboxes/mailboxes.ts';
import { loadOnce } from '../../share-runs.ts';
import { type Message, requireMessageWithFiles } from '../messages.ts';
import { findMessage } from '../resolve-id.ts';
import { comparedLines } from './compared-lines.ts';

/** A message id, with or without the name or address of its mailbox. */
const OTHER = /^(?:(.+)\/)?(msg_[0-9a-z]{1,26})$/s;
/** Lines that are removed or added, above which everything counts as changed. */
const MAX_EDITS = 1000;
const CONTEXT_LINES = 3;
/** Characters. */
const MAX_DIFF = 256 * 1024;
const CUT = '\\ The diff is longer and ends here.\n';

/** Loaded on demand: few processes ever compare messages. */
const library = loadOnce(() => import('diff'));

export interface MessageDiff {
  /** Whether nothing differs but what is masked. */
  identical: boolean;
  /** A unified diff; empty if the messages are identical. */
  diff: string;
}

/**
 * Compares a message of the mailbox with another one that the caller can use.
 * @param withText `msg_...` or `mailbox/msg_...`
 * @throws {AppError} `invalid_request` for the other id, `not_found` for either message.
 */
export async function diffMessages(
  context: Pick<Context, 'now' | 'store' | 'blobs' | 'log'>,
  caller: Caller,
  mailbox: MailboxRow,
  id: string,
  withText: string,
): Promise<MessageDiff> {
  const [, otherMailbox, otherId] = OTHER.exec(withText) ?? [];
  if (otherId === undefined) {
    throw new AppError(
      'invalid_request',
      '"with" must be the id of a message (msg_...), or mailbox/msg_... for one of another mailbox.',
    );
  }
  const one = await requireMessageWithFiles(context, mailbox, id);
  const other = await otherMessage(context, caller, mailbox, otherMailbox, otherId);
  const [before, after] = [await comparedLines(context, one), await comparedLines(context, other)];
  const names = { before: one.message.id, after: other.message.id };
  return compare({ names, before, after });
}

async function otherMessage(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  mailbox: MailboxRow,
  name: string | undefined,
  id: string,
): Promise<Message> {
  if (name !== undefined) {
    return requireMessageWithFiles(context, await requireMailbox(context, caller, name), id);
  }
  const place = (await findMessage(context, mailbox, id))
    ? mailbox
    : await mailboxOf(context, caller, id);
  return requireMessageWithFiles(context, place ?? mailbox, id);
}

/** The mailbox of a message, if the caller can use it. */
async function mailboxOf(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  id: string,
): Promise<MailboxRow | undefined> {
  const [found] = await messagesById(context.store, [id]);
  if (!found) return undefined;
  const ids = [found.message.mailboxId];
  const [row] = await context.store.query(mailboxesById, caller.workspace.id, ids);
  return row && findMailbox(context, caller, row.name);
}

async function compare({
  names,
  before,
  after,
}: {
  names: { before: string; after: string };
  before: string[];
  after: string[];
}): Promise<MessageDiff> {
  const texts = [before, after].map((lines) => lines.map((line) => `${line}\n`).join(''));
  const [one = '', other = ''] = texts;
  if (one === other) return { identical: true, diff: '' };
  const { createTwoFilesPatch } = await library.get();
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const patch =
    createTwoFilesPatch(names.before, names.after, one, other, '', '', options) ??
    replacement(names, before, after);
  // The first line of the library is a rule.
  const diff = patch.replace(/^=+\n/, '');
  return { identical: false, diff: diff.length > MAX_DIFF ? cut(diff) : diff };
}

/** All lines as changed. */
function replacement(
  names: { before: string; after: string },
  before: string[],
  after: string[],
): string {
  const lines = [
    ...[`--- ${names.before}`, `+++ ${names.after}`],
    `@@ -1,${before.length} +1,${after.length} @@`,
    ...before.map((line) => `-${line}`),
    ...after.map((line) => `+${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

function cut(diff: string): string {
  return diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF) + 1) + CUT;
}
