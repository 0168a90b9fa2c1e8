import type { ComponentChildren } from 'preact';
import { Button } from '../components/button.tsx';
import type { Mailbox } from '../rest/shapes.ts';
import { groupBy, groupKey, labelFilter, labelKeys } from '../state/labels.ts';

/** The mailboxes in the groups that the user selected. */
export function MailboxGroups({
  list,
  item,
}: {
  list: Mailbox[];
  item: (mailbox: Mailbox) => ComponentChildren;
}) {
  const key = groupKey.value;
  if (list.length === 0 && labelFilter.value !== null) return <NoneLabelled />;
  if (!labelKeys.value.includes(key)) return <ul class="mailbox-list">{list.map(item)}</ul>;
  return groupBy(key, list).map(({ value, mailboxes }) => {
    const name = value === null ? `no ${key}` : `${key}: ${value}`;
    return (
      <section key={value} class="mailbox-group" aria-label={name}>
        <h3 title={name}>
          <bdi>{name}</bdi>
        </h3>
        <ul class="mailbox-list">{mailboxes.map(item)}</ul>
      </section>
    );
  });
}

function NoneLabelled() {
  return (
    <div class="sidebar-note" role="status">
      <p>No mailbox has the label {labelFilter.value}.</p>
      <Button
        onClick={() => {
          labelFilter.value = null;
        }}
      >
        Show all mailboxes
      </Button>
    </div>
  );
}
