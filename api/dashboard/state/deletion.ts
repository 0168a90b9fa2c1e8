/** Deletes a message after a few seconds, during which the user can undo it. */
import { deleteMessage } from '../rest/messages.js';
import { toApiError } from '../rest/api-error.js';
import { changeCount } from './mailboxes.js';
import { deletedForGood, pendingDeletes, hide, unhide } from './pending-deletes.js';
import { dropMessage } from './inbox.js';
import { dismiss, toast } from './toasts.js';

const GRACE_MS = 5500;

interface Waiting {
  name: string;
  timer: ReturnType<typeof setTimeout>;
}

const waiting = new Map<string, Waiting>();

/** Hides the message at once and offers to undo. */
export function deleteSoon(name: string, id: string): void {
  if (waiting.has(id)) return;
  hide(id, name);
  changeCount(name, (count) => count - 1);
  waiting.set(id, { name, timer: setTimeout(() => void carryOut(id), GRACE_MS) });
  const shown = toast('Message deleted', {
    action: {
      label: 'Undo',
      run: () => {
        dismiss(shown);
        undo(id);
      },
    },
  });
}

/** True if this page deleted the message, so that its event can be ignored. */
export function isOurDeletion(id: string): boolean {
  return pendingDeletes.value.has(id);
}

function undo(id: string): void {
  const one = waiting.get(id);
  if (!one) return;
  clearTimeout(one.timer);
  waiting.delete(id);
  bringBack(id, one.name);
}

async function carryOut(id: string, keepalive = false): Promise<void> {
  const one = waiting.get(id);
  if (!one) return;
  clearTimeout(one.timer);
  waiting.delete(id);
  try {
    await deleteMessage(one.name, id, keepalive);
    deletedForGood(id);
    dropMessage(id);
  } catch (error) {
    bringBack(id, one.name);
    toast(`Message not deleted. ${toApiError(error).message}`, { tone: 'bad' });
  }
}

function bringBack(id: string, name: string): void {
  unhide(id);
  changeCount(name, (count) => count + 1);
}

// Closing the page confirms pending deletions.
addEventListener('pagehide', () => {
  for (const id of [...waiting.keys()]) void carryOut(id, true);
});
