import { signal } from '@preact/signals';

/** The open dialog, among those that any view can open. */
export const dialog = signal<'help' | 'new mailbox' | null>(null);

export function openDialog(name: 'help' | 'new mailbox'): void {
  dialog.value = name;
}

export function closeDialog(): void {
  dialog.value = null;
}
