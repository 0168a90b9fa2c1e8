/** Short confirmations of an action, with an undo button where undo is possible. */
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
