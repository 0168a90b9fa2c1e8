import { signal } from '@preact/signals';

/** Which of the dialogs is open that any view may open. */
export const dialog = signal<'help' | 'new mailbox' | null>(null);

export function openDialog(name: 'help' | 'new mailbox'): void {
  dialog.value = name;
}

export function closeDialog(): void {
  dialog.value = null;
}
