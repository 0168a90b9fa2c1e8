/** Screen reader announcements of new mail. */
import { signal } from '@preact/signals';

export const announcement = signal('');

export function announce(text: string): void {
  // Screen readers do not repeat a text that has not changed.
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}
