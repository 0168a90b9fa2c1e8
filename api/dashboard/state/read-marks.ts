/** Ids of messages opened in this browser, kept until the messages expire. */
import { stored } from './stored.js';

type Marks = Record<string, number>;

const isMarks = (value: unknown): value is Marks => typeof value === 'object' && value !== null;

const marks = stored<Marks>('mayfly.read', {}, isMarks);

export function isUnread(id: string): boolean {
  return !(id in marks.value);
}

export function markRead(id: string, expiresAt: string): void {
  if (id in marks.peek()) return;
  const now = Date.now();
  const current = Object.entries(marks.peek()).filter(([, end]) => end > now);
  marks.value = { ...Object.fromEntries(current), [id]: Date.parse(expiresAt) };
}

export function markUnread(id: string): void {
  marks.value = Object.fromEntries(Object.entries(marks.peek()).filter(([one]) => one !== id));
}
