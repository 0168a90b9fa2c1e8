/** Groups items by their mailbox, in the order of their first items. */
export function byMailbox<Item>(
  items: readonly Item[],
  mailboxOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const mailbox = mailboxOf(item);
    const group = groups.get(mailbox);
    if (group) group.push(item);
    else groups.set(mailbox, [item]);
  }
  return groups;
}
