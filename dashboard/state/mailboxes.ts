import { computed, signal } from '@preact/signals';
import { type ApiError, toApiError } from '../rest/api-error.ts';
import { createMailbox, deleteMailbox, listMailboxes, getMailbox } from '../rest/mailboxes.ts';
import type { Mailbox } from '../rest/shapes.ts';
import { hiddenCounts } from './hidden-messages.ts';
import { whenListening } from './stream-ready.ts';

/** Mailboxes that are loaded at first, and by a search for a name. */
const MOST = 1000;
const MOST_FOUND = 100;

/** The mailboxes as the server counts their messages. */
const known = signal<Mailbox[] | null>(null);

/**
 * The mailboxes of the workspace, newest first, without the count of hidden messages; null until
 * they are loaded. Of many, the newest, and those that were opened or found.
 */
export const mailboxes = computed<Mailbox[] | null>(() => {
  const hidden = hiddenCounts.value;
  if (hidden.size === 0 || !known.value) return known.value;
  return known.value.map((mailbox) => {
    const messageCount = mailbox.messageCount - (hidden.get(mailbox.name) ?? 0);
    return { ...mailbox, messageCount: Math.max(0, messageCount) };
  });
});
/** Whether these are all mailboxes. */
export const isWhole = signal(true);
/** Names that no mailbox has, as far as it was looked up. */
export const missingNames = signal<ReadonlySet<string>>(new Set());
/** The start of the names that are listed; empty for all. */
export const namePrefix = signal('');
export const mailboxesFailure = signal<ApiError | null>(null);

/** New messages since a mailbox was last viewed, by mailbox name. */
export const arrivals = signal<Record<string, number>>({});

export async function loadMailboxes(): Promise<void> {
  try {
    await whenListening();
    const list = await listMailboxes('', MOST);
    isWhole.value = list.isWhole;
    missingNames.value = new Set();
    known.value = list.mailboxes;
    mailboxesFailure.value = null;
  } catch (error) {
    mailboxesFailure.value = toApiError(error);
  }
}

/** Lists the mailboxes whose names start with the prefix. */
export async function searchMailboxes(prefix: string): Promise<void> {
  namePrefix.value = prefix.toLowerCase();
  if (prefix === '') return;
  try {
    add((await listMailboxes(prefix, MOST_FOUND)).mailboxes);
  } catch (error) {
    mailboxesFailure.value = toApiError(error);
  }
}

/** Looks up a mailbox that is not listed. */
export async function loadMailbox(name: string): Promise<void> {
  try {
    add([await getMailbox(name)]);
  } catch (error) {
    const failure = toApiError(error);
    if (failure.status !== 404) mailboxesFailure.value = failure;
    else missingNames.value = new Set([...missingNames.value, name]);
  }
}

function add(found: Mailbox[]): void {
  const ids = new Set(known.value?.map(({ id }) => id));
  known.value = [...(known.value ?? []), ...found.filter(({ id }) => !ids.has(id))];
}

/** @throws {ApiError} */
export async function addMailbox(name?: string): Promise<Mailbox> {
  const made = await createMailbox(name);
  known.value = [made, ...(known.value ?? []).filter(({ id }) => id !== made.id)];
  return made;
}

/** @throws {ApiError} */
export async function removeMailbox(name: string): Promise<void> {
  const id = known.value?.find((mailbox) => mailbox.name === name)?.id;
  await deleteMailbox(name);
  if (id !== undefined) forgetMailbox(id);
}

/** Removes by id: a new mailbox can already have the same name. */
export function forgetMailbox(id: string): void {
  known.value = known.value?.filter((mailbox) => mailbox.id !== id) ?? null;
}

export function forgetMailboxes(): void {
  known.value = null;
}

/** Updates the message count of a mailbox. */
export function changeCount(name: string, change: (count: number) => number): void {
  known.value =
    known.value?.map((mailbox) =>
      mailbox.name === name
        ? { ...mailbox, messageCount: Math.max(0, change(mailbox.messageCount)) }
        : mailbox,
    ) ?? null;
}

export function recordArrival(name: string): void {
  arrivals.value = { ...arrivals.value, [name]: (arrivals.value[name] ?? 0) + 1 };
}

export function clearArrivals(name: string): void {
  if (arrivals.peek()[name]) arrivals.value = { ...arrivals.peek(), [name]: 0 };
}
