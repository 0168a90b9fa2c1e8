/** Deletes messages after a few seconds, during which the user can undo it. */
import { batch } from '@preact/signals';
import { type ApiError, toApiError } from '../rest/api-error.ts';
import { deleteMessage } from '../rest/messages.ts';
import { deletedForGood, hide, pendingDeletes, unhide } from './hidden-messages.ts';
import { dropMessage } from './inbox.ts';
import { changeCount } from './mailboxes.ts';
import { forgetMarks } from './read-marks.ts';
import { dismiss, toast } from './toasts.ts';

const GRACE_MS = 5500;
/** Requests at the same time. */
const PARALLEL = 4;

interface Deleted {
  id: string;
  /** The name of its mailbox. */
  mailbox: string;
}

interface Waiting {
  messages: Deleted[];
  timer: ReturnType<typeof setTimeout>;
}

const waiting = new Set<Waiting>();

/** Hides the messages at once and offers to undo. */
export function deleteSoon(wanted: readonly Deleted[]): void {
  const messages = wanted.filter(({ id }) => !pendingDeletes.peek().has(id));
  if (messages.length === 0) return;
  batch(() => {
    for (const { id, mailbox } of messages) hide(id, mailbox);
    changeCounts(messages, -1);
  });
  const one: Waiting = { messages, timer: setTimeout(() => void carryOut(one), GRACE_MS) };
  waiting.add(one);
  const shown = toast(`${counted(messages.length)} deleted`, {
    action: {
      label: 'Undo',
      run: () => {
        dismiss(shown);
        if (end(one)) bringBack(messages);
      },
    },
  });
}

/** True if this page deleted the message, so that its event can be ignored. */
export function isOurDeletion(id: string): boolean {
  return pendingDeletes.value.has(id);
}

/** Ends the wait. False if it has ended before. */
function end(one: Waiting): boolean {
  clearTimeout(one.timer);
  return waiting.delete(one);
}

async function carryOut(one: Waiting, keepalive = false): Promise<void> {
  if (!end(one)) return;
  const left = [...one.messages];
  const kept: Deleted[] = [];
  const faults: ApiError[] = [];
  const work = async () => {
    for (let message = left.shift(); message; message = left.shift()) {
      const { id, mailbox } = message;
      try {
        await deleteMessage(mailbox, id, keepalive);
        deletedForGood(id);
        forgetMarks(new Set([id]));
        dropMessage(id);
      } catch (error) {
        faults.push(toApiError(error));
        kept.push(message);
      }
    }
  };
  // A page that closes does not resume after a response.
  const workers = keepalive ? left.length : PARALLEL;
  await Promise.all(Array.from({ length: workers }, work));
  if (kept.length === 0) return;
  bringBack(kept);
  toast(`${counted(kept.length)} not deleted. ${faults[0]?.message ?? ''}`, { tone: 'bad' });
}

function bringBack(messages: readonly Deleted[]): void {
  batch(() => {
    for (const { id } of messages) unhide(id);
    changeCounts(messages, 1);
  });
}

function changeCounts(messages: readonly Deleted[], by: 1 | -1): void {
  for (const [name, { length }] of byMailbox(messages, ({ mailbox }) => mailbox)) {
    changeCount(name, (count) => count + by * length);
  }
}

/** Groups items by their mailbox, in the order of their first items. */
export function byMailbox<Item>(
  items: readonly Item[],
  mailboxOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const mailbox = mailboxOf(item);
    const group = groups.get(mailbox);
    if (group) group.push(item);
    else groups.set(mailbox, [item]);
  }
  return groups;
}

function counted(count: number): string {
  return count === 1 ? 'Message' : `${count} messages`;
}

// Closing the page confirms pending deletions.
addEventListener('pagehide', () => {
  for (const one of [...waiting]) void carryOut(one, true);
});
