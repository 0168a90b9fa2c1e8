/** Messages read in this browser, kept until they expire. The server stores no read state. */
import { stored } from './stored.ts';

interface Mark {
  /** Id of the mailbox. */
  mailbox: string;
  /** When the message expires, in ms since 1970. */
  until: number;
}

type Marks = Record<string, Mark>;

/** Marks by message id. Marks in the format of earlier versions are dropped. */
export const readMarks = stored<Marks>('mayfly.read', {}, isMarks);

export function isUnread(id: string): boolean {
  return !(id in readMarks.value);
}

/** Marks messages of a mailbox as read. */
export function markRead(
  mailbox: string,
  messages: readonly { id: string; expiresAt: string }[],
): void {
  const fresh = messages.filter(({ id }) => !(id in readMarks.peek()));
  if (fresh.length === 0) return;
  const now = Date.now();
  const current = Object.entries(readMarks.peek()).filter(([, { until }]) => until > now);
  const added = fresh.map(({ id, expiresAt }): [string, Mark] => [
    id,
    { mailbox, until: Date.parse(expiresAt) },
  ]);
  readMarks.value = Object.fromEntries([...current, ...added]);
}

export function markUnread(id: string): void {
  forgetMarks(new Set([id]));
}

/** Removes the marks of messages. */
export function forgetMarks(ids: ReadonlySet<string>): void {
  const marks = Object.entries(readMarks.peek());
  const kept = marks.filter(([id]) => !ids.has(id));
  if (kept.length < marks.length) readMarks.value = Object.fromEntries(kept);
}

function isMarks(value: unknown): value is Marks {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((mark) => typeof mark === 'object');
}
