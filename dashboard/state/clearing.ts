/** Clears a mailbox after a few seconds, during which the user can undo it. */
import { batch } from '@preact/signals';
import { toApiError } from '../rest/api-error.ts';
import { clearMailbox, readNewest } from '../rest/mailboxes.ts';
import { isCleared, pendingClears, setClear, shownCount } from './hidden-messages.ts';
import { dropMessage, inbox, isShown, refreshInbox } from './inbox.ts';
import { changeCount, loadMailboxes, mailboxes } from './mailboxes.ts';
import { forgetMarks, readIdsOf } from './read-marks.ts';
import { dismiss, toast } from './toasts.ts';

const GRACE_MS = 5500;

interface Waiting {
  mark: string;
  /** Ids of cleared messages that were marked as read. */
  read: readonly string[];
  timer: ReturnType<typeof setTimeout>;
}

/** By mailbox name. */
const waiting = new Map<string, Waiting>();

/**
 * Hides all messages of the mailbox and offers to undo. Mail that arrives from then on is kept.
 * @throws {ApiError}
 */
export async function clearSoon(name: string): Promise<void> {
  await carryOut(name);
  const { mark, total, messages } = await readNewest(name);
  const [newest] = messages;
  if (!newest) return;
  const count = shownCount(name, total);
  const mailbox = mailboxes.peek()?.find((one) => one.name === name);
  const read = readIdsOf(mailbox?.id ?? '');
  waiting.set(name, { mark, read, timer: setTimeout(() => void carryOut(name), GRACE_MS) });
  batch(() => {
    setClear(name, { until: newest.receivedAt, count });
    changeCount(name, (before) => before - count);
  });
  const shown = toast(`Mailbox ${name} cleared`, {
    action: {
      label: 'Undo',
      run: () => {
        dismiss(shown);
        if (end(name)) bringBack(name);
      },
    },
  });
}

/** Ends the wait and returns it; undefined if it has ended before. */
function end(name: string): Waiting | undefined {
  const one = waiting.get(name);
  clearTimeout(one?.timer);
  waiting.delete(name);
  return one;
}

async function carryOut(name: string, keepalive = false): Promise<void> {
  const one = end(name);
  if (!one) return;
  try {
    await clearMailbox(name, one.mark, keepalive);
  } catch (thrown) {
    const error = toApiError(thrown);
    bringBack(name);
    if (error.status !== 404)
      toast(`Mailbox ${name} not cleared. ${error.message}`, { tone: 'bad' });
    return;
  }
  batch(() => {
    forgetMarks(new Set(one.read));
    const loaded = isShown(name) ? (inbox.peek()?.messages ?? []) : [];
    for (const { id, receivedAt } of loaded) if (isCleared(name, receivedAt)) dropMessage(id);
    setClear(name, null);
  });
  // A mail that arrived before and was stored after the mark is hidden, but not cleared.
  if (isShown(name)) refreshInbox();
  void loadMailboxes();
}

function bringBack(name: string): void {
  const count = pendingClears.peek().get(name)?.count ?? 0;
  batch(() => {
    setClear(name, null);
    changeCount(name, (before) => before + count);
  });
}

// Closing the page confirms a pending clear.
addEventListener('pagehide', () => {
  for (const name of [...waiting.keys()]) void carryOut(name, true);
});
