/** Where waits, claims and streams read messages: one mailbox, or all mailboxes of a caller. */
import { idListReader } from '../../db/statements/id-lists.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import {
  type MessagePosition,
  type NumberedMessage,
  firstNumberSince,
  messagesByNumber,
  numbersOf,
  numberedPage,
} from '../../db/statements/messages.ts';
import {
  newestWorkspaceMessages,
  workspaceMessagesAmong,
  workspaceMessagesByNumber,
} from '../../db/statements/workspace-messages.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import type { Context } from '../context.ts';
import { NEWEST } from '../messages/cursor.ts';
import { type Source, type Start, afterNumber } from './reader.ts';

/** Without a number and a time, as many of the newest messages are considered. */
const NEWEST_COUNT = 1000;
/** Messages of a workspace that a request without a number reads at most. */
const MOST_READ = 10_000;
const NO_TIME = new Date(-1);

type Reading = Pick<Context, 'now' | 'store'>;

export interface FoundMessage extends NumberedMessage {
  /** Present if the source has several mailboxes. */
  mailboxName?: string;
}

export interface MessageSource extends Source<FoundMessage> {
  /** The start of a reader without a number: at a time, or at the newest messages. */
  startOf: (since: Date | undefined, last: number) => Promise<Start<FoundMessage>>;
}

const readNumbers = idListReader(numbersOf);

/** Those of these messages that the mailbox shows. */
export async function numberedOf(
  { store, now }: Reading,
  mailboxId: string,
  ids: string[],
): Promise<NumberedMessage[]> {
  const time = now();
  return (await readNumbers(store, ids)).filter(
    (row) => row.mailboxId === mailboxId && row.expiresAt.getTime() > time,
  );
}

/** The messages of a mailbox. */
export function messagesOfMailbox(
  { store, now }: Reading,
  { id: mailboxId, workspaceId }: Pick<MailboxRow, 'id' | 'workspaceId'>,
): MessageSource {
  const at = () => ({ mailboxId, now: new Date(now()) });
  return {
    workspaceId,
    async after({ number, id }, upTo, limit) {
      const place = { ...at(), since: NO_TIME, number, id, upTo, limit };
      const rows = await store.execute(messagesByNumber, place);
      return { rows, end: endOf(rows, limit) };
    },
    among: (ids) => numberedOf({ store, now }, mailboxId, ids),
    async startOf(since, last) {
      if (since) {
        const [found] = await store.execute(firstNumberSince, { ...at(), since });
        return { first: [], place: afterNumber((found?.number ?? last + 1) - 1) };
      }
      const page = { ...at(), ...NEWEST, since: NO_TIME, upTo: last, limit: NEWEST_COUNT };
      return windowOf(await store.execute(numberedPage, page), last);
    },
  };
}

/**
 * The messages of all mailboxes that the caller can use at the time of the reading. With `since`
 * and without a number, the newest 10,000 messages of the workspace are read: no index has the
 * order of the numbers from a time on.
 */
export function messagesOfCaller(context: Reading, caller: Caller): MessageSource {
  const { store } = context;
  const reach = () => reachOf(context, caller);
  return {
    workspaceId: caller.workspace.id,
    async after({ number, id }, upTo, limit) {
      const rows = await store.query(
        workspaceMessagesByNumber,
        reach(),
        { number, id, upTo },
        limit,
      );
      return { rows: rows.flatMap(shownOf), end: endOf(rows, limit) };
    },
    among: async (ids) =>
      (await store.query(workspaceMessagesAmong, reach(), ids)).flatMap(shownOf),
    async startOf(since, last) {
      const found: FoundMessage[] = [];
      let before: MessagePosition = NEWEST;
      let isCut = since !== undefined;
      for (let read = 0; read < MOST_READ; read += NEWEST_COUNT) {
        const asked = { ...(since && { since }), before, upTo: last };
        const rows = await store.query(newestWorkspaceMessages, reach(), asked, NEWEST_COUNT);
        for (const row of rows.flatMap(shownOf)) found.push(row);
        const end = endOf(rows, NEWEST_COUNT);
        if (!end) isCut = false;
        if (!end || (!since && found.length >= NEWEST_COUNT)) break;
        before = end;
      }
      return { ...windowOf(since ? found : found.slice(0, NEWEST_COUNT), last), isCut };
    },
  };
}

/** The place before all of these messages, and the oldest of them. @param rows newest first */
function windowOf(rows: FoundMessage[], last: number): Start<FoundMessage> {
  const oldest = rows.at(-1);
  const first = rows.reduce((least, { number }) => Math.min(least, number), last + 1);
  return {
    first: [],
    place: afterNumber(first - 1),
    ...(oldest && { window: { oldest, upTo: last } }),
  };
}

function endOf<Row extends NumberedMessage>(rows: Row[], limit: number): Row | null {
  return rows.length < limit ? null : (rows.at(-1) ?? null);
}

/** Rows without a name are not visible to the caller. */
function shownOf({
  name,
  ...row
}: NumberedMessage & { name: string | null }): Required<FoundMessage>[] {
  return name === null ? [] : [{ ...row, mailboxName: name }];
}
