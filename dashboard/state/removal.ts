/** Deletes messages and clears mailboxes, with undo. */
import { batch } from '@preact/signals';
import { toApiError } from '../rest/api-error.ts';
import { clearMailbox, readNewest } from '../rest/mailboxes.ts';
import { deleteMessage } from '../rest/messages.ts';
import { clears, deleted, hiddenCounts, isCleared, setEntries } from './hidden-messages.ts';
import { dropMessage, inbox, isInboxOpen, refreshInbox } from './inbox.ts';
import { changeCount, loadMailboxes, mailboxes } from './mailboxes.ts';
import { forgetReadState, readIdsOf } from './read-marks.ts';
import { undoable } from './undoable.ts';

/** Delete requests at the same time. */
const PARALLEL = 4;

/** @param wanted messages, each with the name of its mailbox */
export function deleteSoon(wanted: readonly { id: string; mailbox: string }[]): void {
  const messages = wanted.filter(({ id }) => !deleted.peek().has(id));
  if (messages.length === 0) return;
  /** Those that the server has not deleted. */
  const left = () => messages.filter(({ id }) => deleted.peek().get(id) !== null);
  undoable({
    done: `${counted(messages.length)} deleted`,
    failed: () => `${counted(left().length)} not deleted.`,
    hide: () => {
      setEntries(
        deleted,
        messages.map(({ id, mailbox }) => [id, mailbox]),
      );
    },
    restore: () => {
      setEntries(
        deleted,
        left().map(({ id }) => [id, undefined]),
      );
    },
    commit: async (keepalive) => {
      const waiting = [...messages];
      const failures: unknown[] = [];
      const work = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const { id, mailbox } = next;
          try {
            await deleteMessage(mailbox, id, keepalive);
            batch(() => {
              setEntries(deleted, [[id, null]]);
              changeCount(mailbox, (count) => count - 1);
              forgetReadState(new Set([id]));
              dropMessage(id);
            });
          } catch (error) {
            failures.push(error);
          }
        }
      };
      const workers = keepalive ? waiting.length : PARALLEL;
      await Promise.all(Array.from({ length: workers }, work));
      if (failures.length > 0) throw failures[0];
    },
  });
}

/** The last clearing of each mailbox, by name. */
const lastClears = new Map<string, () => Promise<void>>();

/**
 * Clears a mailbox. Mail that arrives from now on is kept.
 * @throws {ApiError}
 */
export async function clearSoon(name: string): Promise<void> {
  await lastClears.get(name)?.();
  const { mark, total, messages } = await readNewest(name);
  const [newest] = messages;
  if (!newest) return;
  const count = Math.max(0, total - (hiddenCounts.peek().get(name) ?? 0));
  const mailbox = mailboxes.peek()?.find((one) => one.name === name);
  const read = new Set(readIdsOf(mailbox?.id ?? ''));
  const restore = () => {
    setEntries(clears, [[name, undefined]]);
  };
  const commitNow = undoable({
    done: `Mailbox ${name} cleared`,
    failed: () => `Mailbox ${name} not cleared.`,
    hide: () => {
      setEntries(clears, [[name, { until: newest.receivedAt, count }]]);
    },
    restore,
    commit: async (keepalive) => {
      try {
        await clearMailbox(name, mark, keepalive);
      } catch (error) {
        // The messages of a deleted mailbox are deleted too.
        if (toApiError(error).status !== 404) throw error;
      }
      batch(() => {
        forgetReadState(read);
        const loaded = isInboxOpen(name) ? (inbox.peek()?.messages ?? []) : [];
        for (const { id, receivedAt } of loaded) if (isCleared(name, receivedAt)) dropMessage(id);
        changeCount(name, (before) => before - count);
        restore();
      });
      // A mail that arrived before and was stored after the mark is hidden, but not cleared.
      if (isInboxOpen(name)) refreshInbox();
      void loadMailboxes();
    },
  });
  lastClears.set(name, commitNow);
}

function counted(count: number): string {
  return count === 1 ? 'Message' : `${count} messages`;
}
