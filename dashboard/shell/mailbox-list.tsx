import type { ComponentChildren } from 'preact';
import { Button } from '../components/button.tsx';
import { Skeleton } from '../components/placeholders.tsx';
import { TimeLeft } from '../components/time.tsx';
import type { Mailbox } from '../rest/shapes.ts';
import { Link } from '../routing/link.tsx';
import { route } from '../routing/location.ts';
import { to } from '../routing/routes.ts';
import { groupBy, groupKey, labelFilter, labelKeys, listedMailboxes } from '../state/labels.ts';
import { arrivals, loadMailboxes, mailboxes, mailboxesFailure } from '../state/mailboxes.ts';
import { unreadCount } from '../state/read-marks.ts';

/** The mailboxes of the workspace with live message counts. */
export function MailboxList() {
  const list = mailboxes.value;
  if (!list && mailboxesFailure.value) {
    return (
      <div class="sidebar-note" role="alert">
        <p>{mailboxesFailure.value.message}</p>
        <Button onClick={() => void loadMailboxes()}>Try again</Button>
      </div>
    );
  }
  if (!list) return <Skeleton lines={4} kind="rows" />;
  if (list.length === 0) return <p class="sidebar-note">No mailboxes yet.</p>;
  const current = 'name' in route.value ? route.value.name : null;
  return (
    <MailboxGroups
      list={listedMailboxes.value ?? list}
      item={(mailbox) => (
        <MailboxItem key={mailbox.id} mailbox={mailbox} isCurrent={mailbox.name === current} />
      )}
    />
  );
}

function MailboxItem({ mailbox, isCurrent }: { mailbox: Mailbox; isCurrent: boolean }) {
  const { name, messageCount, expiresAt } = mailbox;
  const unread = unreadCount(mailbox);
  const fresh = isCurrent ? 0 : (arrivals.value[name] ?? 0);
  return (
    <li>
      <Link
        href={to.mailbox(name)}
        class="mailbox-item"
        aria-current={isCurrent ? 'page' : undefined}
      >
        <span class="mailbox-name">{name}</span>
        {expiresAt !== null && <TimeLeft until={expiresAt} />}
        {unread > 0 ? (
          <span
            class={`badge ${fresh > 0 ? '' : 'is-quiet'}`}
            title={`${unread} unread of ${messageCount}`}
          >
            {unread > 999 ? '999+' : unread}
            <span class="visually-hidden"> unread</span>
          </span>
        ) : (
          <span class="count">
            {messageCount}
            <span class="visually-hidden"> messages</span>
          </span>
        )}
      </Link>
    </li>
  );
}

/** The mailboxes in the groups that the user selected. */
function MailboxGroups({
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
