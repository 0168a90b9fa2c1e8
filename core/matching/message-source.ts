/** Where waits and streams look for messages: one mailbox, or all mailboxes of a caller. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import {
  type MessagePosition,
  type NumberedMessage,
  messagesByNumber,
  numberedPage,
} from '../../db/statements/messages.ts';
import {
  workspaceMessagesByNumber,
  newestWorkspaceMessages,
} from '../../db/statements/workspace-messages.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import type { Context } from '../context.ts';
import { NEWEST } from '../messages/cursor.ts';

/** Messages of a statement. Without a number and a time, a source has as many at most. */
const PAGE = 1000;
/** Messages of a workspace that a request without a number reads at most. */
const MOST_READ = 10_000;

type Reading = Pick<Context, 'now' | 'store'>;

/** Which messages of a source are asked for. */
export interface SourceRange {
  /** Only messages with a greater number. */
  after?: number;
  /** Only messages received after this time. */
  since?: Date;
}

export interface FoundMessage extends NumberedMessage {
  /** Present if the source has several mailboxes. */
  mailboxName?: string;
}

interface SourcePage {
  rows: FoundMessage[];
  /** Whether older messages in the range are left out. */
  isCut?: boolean;
}

export interface MessageSource {
  workspaceId: string;
  /**
   * The messages in the range up to a number, in the order of their numbers; without `after` and
   * `since` the newest 1,000.
   */
  pages: (range: SourceRange, upTo: number) => AsyncIterable<SourcePage>;
}

/** The messages of a mailbox. */
export function messagesOfMailbox(
  { store, now }: Reading,
  { id: mailboxId, workspaceId }: Pick<MailboxRow, 'id' | 'workspaceId'>,
): MessageSource {
  return {
    workspaceId,
    async *pages({ after, since }, upTo) {
      const isBounded = after !== undefined || since !== undefined;
      const newest: NumberedMessage[] = [];
      let last = { ...NEWEST, number: after ?? 0 };
      for (;;) {
        const { number, receivedAt, id } = last;
        const at = new Date(now());
        const place = { mailboxId, now: at, since: since ?? new Date(-1), id, upTo, limit: PAGE };
        const rows =
          after === undefined
            ? await store.execute(numberedPage, { ...place, receivedAt })
            : await store.execute(messagesByNumber, { ...place, number });
        if (after === undefined) for (const row of rows) newest.push(row);
        else yield { rows };
        const end = rows.at(-1);
        if (!end || rows.length < PAGE || !isBounded) break;
        last = end;
        await nextTurn();
      }
      yield { rows: newest.sort(byNumber) };
    },
  };
}

/**
 * The messages of all mailboxes that the caller can use at the time of the reading. With `since`
 * and without `after`, the newest 10,000 messages of the workspace are read: no index has the order
 * of the numbers from a time on.
 */
export function messagesOfCaller(context: Reading, caller: Caller): MessageSource {
  const { store } = context;
  const reach = () => reachOf(context, caller);

  const afterNumber = async function* (range: SourceRange, after: number, upTo: number) {
    let place = { number: after, id: NEWEST.id };
    for (;;) {
      const asked = { ...range, ...place, upTo };
      const rows = await store.query(workspaceMessagesByNumber, reach(), asked, PAGE);
      yield { rows: rows.flatMap(shownOf) };
      const end = rows.at(-1);
      if (!end || rows.length < PAGE) return;
      place = end;
      await nextTurn(); // SQLite reads without yielding
    }
  };

  const newest = async ({ since }: SourceRange, upTo: number): Promise<SourcePage> => {
    const found: FoundMessage[] = [];
    let before: MessagePosition = NEWEST;
    for (let read = 0; read < MOST_READ; read += PAGE) {
      const asked = { ...(since && { since }), before, upTo };
      const rows = await store.query(newestWorkspaceMessages, reach(), asked, PAGE);
      for (const row of rows.flatMap(shownOf)) found.push(row);
      const end = rows.at(-1);
      if (!end || rows.length < PAGE) return { rows: found.sort(byNumber) };
      if (!since && found.length >= PAGE) break;
      before = end;
      await nextTurn();
    }
    const rows = since ? found : found.slice(0, PAGE);
    return { rows: rows.sort(byNumber), isCut: since !== undefined };
  };

  return {
    workspaceId: caller.workspace.id,
    async *pages(range, upTo) {
      if (range.after === undefined) yield await newest(range, upTo);
      else yield* afterNumber(range, range.after, upTo);
    },
  };
}

/** Rows without a name are not visible to the caller. */
function shownOf({
  name,
  ...row
}: NumberedMessage & { name: string | null }): Required<FoundMessage>[] {
  return name === null ? [] : [{ ...row, mailboxName: name }];
}

function byNumber(a: NumberedMessage, b: NumberedMessage): number {
  return a.number - b.number || (a.id < b.id ? -1 : 1);
}
