/**
 * Short confirmations of an action, with an undo button where undo is possible, and announcements
 * for screen readers.
 */
import { signal } from '@preact/signals';

export interface Toast {
  id: number;
  text: string;
  tone: 'plain' | 'bad';
  action?: { label: string; run: () => void };
}

const SHOWN_MS = 6000;

export const toasts = signal<Toast[]>([]);
let lastId = 0;

export function toast(text: string, options: Partial<Omit<Toast, 'id' | 'text'>> = {}): number {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value.slice(-2), { id, text, tone: 'plain', ...options }];
  setTimeout(() => {
    dismiss(id);
  }, SHOWN_MS);
  return id;
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

/** Read out by screen readers. */
export const announcement = signal('');

export function announce(text: string): void {
  // Screen readers do not repeat a text that has not changed.
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}
