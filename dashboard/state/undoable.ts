/** Actions that the page shows at once, and the server carries out a few seconds later. */
import { batch } from '@preact/signals';
import { toApiError } from '../rest/api-error.ts';
import { dismiss, toast } from './toasts.ts';

const GRACE_MS = 5500;

interface Undoable {
  /** What the page says was done. */
  done: string;
  /** What it says before the reason if `commit` failed. */
  failed: () => string;
  hide: () => void;
  /** Shows again what the server has not removed. */
  restore: () => void;
  /** @param keepalive true if the page closes: nothing runs after the first response. */
  commit: (keepalive: boolean) => Promise<void>;
}

type Commit = (keepalive?: boolean) => Promise<void>;

/** The actions that can still be undone. */
const pending = new Set<Commit>();

/**
 * Hides at once, and offers to undo until it commits.
 * @returns commits now, unless it is undone or committed.
 */
export function undoable({ done, failed, hide, restore, commit }: Undoable): Commit {
  /** False if it has ended before. */
  const end = () => {
    clearTimeout(timer);
    return pending.delete(commitNow);
  };
  const commitNow: Commit = async (keepalive = false) => {
    if (!end()) return;
    try {
      await commit(keepalive);
    } catch (error) {
      toast(`${failed()} ${toApiError(error).message}`, { tone: 'bad' });
      batch(restore);
    }
  };
  const timer = setTimeout(() => void commitNow(), GRACE_MS);
  pending.add(commitNow);
  batch(hide);
  const undo = () => {
    dismiss(shown);
    if (end()) batch(restore);
  };
  const shown = toast(done, { action: { label: 'Undo', run: undo } });
  return commitNow;
}

// Closing the page confirms pending actions.
addEventListener('pagehide', () => {
  for (const commitNow of [...pending]) void commitNow(true);
});
