/** Walks the messages of one mailbox, newest first. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { type Position, messagePage } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import { type RecipientFilter, messagesTo } from '../messages/recipient-filter.ts';
import type { Stretch } from './positions.ts';

export async function* walkMailbox(
  context: Pick<Context, 'store' | 'now'>,
  { id: mailboxId, name, labels }: MailboxRow,
  walk: { before: Position; from: Date; to?: RecipientFilter; rowsAtOnce: number },
): AsyncGenerator<Stretch> {
  const { to, from, rowsAtOnce } = walk;
  const since = new Date(from.getTime() - 1);
  const mailbox = { name, labels: labels ?? {} };
  let before = walk.before;
  for (;;) {
    const place = {
      mailboxId,
      now: new Date(context.now()),
      since,
      receivedAt: before.receivedAt,
      id: before.id,
      limit: rowsAtOnce,
    };
    const rows = to
      ? await messagesTo(context, to, place)
      : await context.store.read(messagePage, place);
    const last = rows.at(-1);
    const isLast = last === undefined || rows.length < rowsAtOnce;
    if (last) before = { receivedAt: last.receivedAt, id: last.id };
    yield { rows: rows.map((row) => ({ ...row, mailbox })), end: isLast ? null : before };
    if (isLast) return;
  }
}
