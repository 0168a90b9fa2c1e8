/** Deletes messages after a few seconds, during which the user can undo it. */
import { batch } from '@preact/signals';
import { deleteMessage } from '../rest/messages.js';
import { type ApiError, toApiError } from '../rest/api-error.js';
import { changeCount } from './mailboxes.js';
import { deletedForGood, pendingDeletes, hide, unhide } from './pending-deletes.js';
import { dropMessage } from './inbox.js';
import { forgetMarks } from './read-marks.js';
import { dismiss, toast } from './toasts.js';

const GRACE_MS = 5500;
/** Requests at the same time. */
const PARALLEL = 4;

interface Waiting {
  name: string;
  ids: string[];
  timer: ReturnType<typeof setTimeout>;
}

const waiting = new Set<Waiting>();

/** Hides the messages of a mailbox at once and offers to undo. */
export function deleteSoon(name: string, wanted: readonly string[]): void {
  const ids = wanted.filter((id) => !pendingDeletes.peek().has(id));
  if (ids.length === 0) return;
  batch(() => {
    for (const id of ids) hide(id, name);
    changeCount(name, (count) => count - ids.length);
  });
  const one: Waiting = { name, ids, timer: setTimeout(() => void carryOut(one), GRACE_MS) };
  waiting.add(one);
  const shown = toast(`${counted(ids.length)} deleted`, {
    action: {
      label: 'Undo',
      run: () => {
        dismiss(shown);
        if (end(one)) bringBack(name, ids);
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
  const { name } = one;
  const left = [...one.ids];
  const kept: string[] = [];
  const faults: ApiError[] = [];
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await deleteMessage(name, id, keepalive);
        deletedForGood(id);
        forgetMarks(new Set([id]));
        dropMessage(id);
      } catch (error) {
        faults.push(toApiError(error));
        kept.push(id);
      }
    }
  };
  // A page that closes does not resume after a response.
  const workers = keepalive ? left.length : PARALLEL;
  await Promise.all(Array.from({ length: workers }, work));
  if (kept.length === 0) return;
  bringBack(name, kept);
  toast(`${counted(kept.length)} not deleted. ${faults[0]?.message ?? ''}`, { tone: 'bad' });
}

function bringBack(name: string, ids: string[]): void {
  batch(() => {
    for (const id of ids) unhide(id);
    changeCount(name, (count) => count + ids.length);
  });
}

function counted(count: number): string {
  return count === 1 ? 'Message' : `${count} messages`;
}

// Closing the page confirms pending deletions.
addEventListener('pagehide', () => {
  for (const one of [...waiting]) void carryOut(one, true);
});
