import { signal } from '@preact/signals';
import { type ApiError, toApiError } from '../rest/api-error.ts';
import { createMailbox, deleteMailbox, listMailboxes } from '../rest/mailboxes.ts';
import type { Mailbox } from '../rest/shapes.ts';
import { shownCount } from './hidden-messages.ts';
import { whenListening } from './listening.ts';

/** The mailboxes of the workspace, newest first; null until they are loaded. */
export const mailboxes = signal<Mailbox[] | null>(null);
export const mailboxesFailure = signal<ApiError | null>(null);

/** New messages since a mailbox was last viewed, by mailbox name. */
export const arrivals = signal<Record<string, number>>({});

export async function loadMailboxes(): Promise<void> {
  try {
    await whenListening();
    const list = await listMailboxes();
    mailboxes.value = list.map((mailbox) => ({
      ...mailbox,
      messageCount: shownCount(mailbox.name, mailbox.messageCount),
    }));
    mailboxesFailure.value = null;
  } catch (error) {
    mailboxesFailure.value = toApiError(error);
  }
}

/** @throws {ApiError} */
export async function addMailbox(name?: string): Promise<Mailbox> {
  const made = await createMailbox(name);
  const others = (mailboxes.value ?? []).filter(({ id }) => id !== made.id);
  mailboxes.value = [made, ...others];
  return made;
}

/** @throws {ApiError} */
export async function removeMailbox(name: string): Promise<void> {
  const id = mailboxes.value?.find((mailbox) => mailbox.name === name)?.id;
  await deleteMailbox(name);
  if (id !== undefined) forgetMailbox(id);
}

/** Removes by id: a new mailbox can already have the same name. */
export function forgetMailbox(id: string): void {
  mailboxes.value = mailboxes.value?.filter((mailbox) => mailbox.id !== id) ?? null;
}

/** Updates the message count of a mailbox. */
export function changeCount(name: string, change: (count: number) => number): void {
  mailboxes.value =
    mailboxes.value?.map((mailbox) =>
      mailbox.name === name
        ? { ...mailbox, messageCount: Math.max(0, change(mailbox.messageCount)) }
        : mailbox,
    ) ?? null;
}

export function noteArrival(name: string): void {
  arrivals.value = { ...arrivals.value, [name]: (arrivals.value[name] ?? 0) + 1 };
}

export function clearArrivals(name: string): void {
  if (arrivals.peek()[name]) arrivals.value = { ...arrivals.peek(), [name]: 0 };
}
