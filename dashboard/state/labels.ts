/** Labels as a filter and as groups of the list of mailboxes. A label is written `key:value`. */
import { computed, signal } from '@preact/signals';
import type { Mailbox } from '../rest/shapes.ts';
import { mailboxes, namePrefix } from './mailboxes.ts';
import { stored } from './stored.ts';

/** The label that the listed mailboxes have; null for all mailboxes. */
export const labelFilter = signal<string | null>(null);

/** The label key whose values divide the list into groups; empty for one list. */
export const groupKey = stored(
  'mayfly.group',
  '',
  (value): value is string => typeof value === 'string',
);

export interface Group {
  /** The value of the label; null for the mailboxes without it. */
  value: string | null;
  mailboxes: Mailbox[];
}

export const labelText = (key: string, value: string) => `${key}:${value}`;

/** The number of mailboxes with each label, ordered by label. */
export const labelCounts = computed(() => {
  const counts = new Map<string, number>();
  for (const { labels } of mailboxes.value ?? []) {
    for (const [key, value] of Object.entries(labels)) {
      const label = labelText(key, value);
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
});

export const labelKeys = computed(() =>
  [...new Set(labelCounts.value.map(([label]) => label.slice(0, label.indexOf(':'))))].sort(),
);

/** The mailboxes that the filter shows; null until they are loaded. */
export const listedMailboxes = computed(() => {
  const [label, prefix] = [labelFilter.value, namePrefix.value];
  if (label === null && prefix === '') return mailboxes.value;
  const isShown = (mailbox: Mailbox) =>
    mailbox.name.startsWith(prefix) && (label === null || hasLabel(mailbox, label));
  return mailboxes.value?.filter(isShown) ?? null;
});

/** Divides the mailboxes by the value of a label. The mailboxes without it are the last group. */
export function groupBy(key: string, list: Mailbox[]): Group[] {
  const groups = new Map<string | null, Mailbox[]>();
  for (const mailbox of list) {
    const value = mailbox.labels[key] ?? null;
    const group = groups.get(value);
    if (group) group.push(mailbox);
    else groups.set(value, [mailbox]);
  }
  const others = groups.get(null);
  groups.delete(null);
  if (others) groups.set(null, others);
  return [...groups].map(([value, mailboxes]) => ({ value, mailboxes }));
}

function hasLabel({ labels }: Mailbox, label: string): boolean {
  return Object.entries(labels).some(([key, value]) => labelText(key, value) === label);
}
