import type { ComponentChildren } from 'preact';
import { Button } from '../components/button.tsx';
import { Skeleton } from '../components/placeholders.tsx';
import { TimeLeft } from '../components/time.tsx';
import type { Mailbox } from '../rest/shapes.ts';
import { ViewLink } from '../routing/link.tsx';
import { route, to } from '../routing/routes.ts';
import {
  groupBy,
  groupKey,
  labelCounts,
  labelFilter,
  labelKeys,
  listedMailboxes,
} from '../state/labels.ts';
import {
  arrivals,
  searchMailboxes,
  isWhole,
  loadMailboxes,
  mailboxes,
  mailboxesFailure,
  namePrefix,
} from '../state/mailboxes.ts';
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
      <ViewLink
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
      </ViewLink>
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
  if (list.length === 0 && labelFilter.value !== null) return <NoneLabeled />;
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

/** Finds mailboxes beyond those that are listed. Absent if all are. */
export function FindMailbox() {
  if (isWhole.value) return null;
  return (
    <div class="sidebar-note">
      <p>Only the newest mailboxes are listed.</p>
      <input
        type="search"
        aria-label="Find mailboxes by the start of the name"
        placeholder="Start of a name"
        value={namePrefix.value}
        onInput={(event) => void searchMailboxes(event.currentTarget.value.trim())}
      />
    </div>
  );
}

function NoneLabeled() {
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

/** Filters and groups the mailboxes by label. Absent while no mailbox has a label. */
export function LabelTools() {
  const filter = labelFilter.value;
  const counts = labelCounts.value;
  if (counts.length === 0 && filter === null) return null;
  const isUnused = filter !== null && !counts.some(([label]) => label === filter);
  return (
    <div class="label-tools">
      <select
        aria-label="Filter by label"
        value={filter ?? ''}
        onChange={(event) => {
          labelFilter.value = event.currentTarget.value || null;
        }}
      >
        <option value="">All labels</option>
        {isUnused && <option value={filter}>{filter} (0)</option>}
        {counts.map(([label, count]) => (
          <option key={label} value={label}>
            {label} ({count})
          </option>
        ))}
      </select>
      <select
        aria-label="Group by label"
        value={labelKeys.value.includes(groupKey.value) ? groupKey.value : ''}
        onChange={(event) => {
          groupKey.value = event.currentTarget.value;
        }}
      >
        <option value="">No groups</option>
        {labelKeys.value.map((key) => (
          <option key={key} value={key}>
            By {key}
          </option>
        ))}
      </select>
    </div>
  );
}
