/** What a screen reader says when mail comes in. */
import { signal } from '@preact/signals';

export const announcement = signal('');

export function announce(text: string): void {
  // The same text twice in a row would not be read again.
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}
