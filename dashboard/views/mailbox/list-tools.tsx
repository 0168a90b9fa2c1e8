import { useEffect, useRef } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { toApiError } from '../../rest/api-error.ts';
import type { Mailbox, Message } from '../../rest/shapes.ts';
import { go, openIdOf, route, to } from '../../routing/routes.ts';
import { mailboxOf, query, recipient } from '../../state/inbox.ts';
import { mailboxes } from '../../state/mailboxes.ts';
import { isUnread, markAllRead, markRead, unreadCount } from '../../state/read-marks.ts';
import { clearSoon, deleteSoon } from '../../state/removal.ts';
import { useAction } from '../../state/requests.ts';
import { clearSelection, selectAll, selectFrom, selected } from '../../state/selection.ts';
import { mayChange } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { toast } from '../../state/toasts.ts';

/**
 * Selects all listed messages, with actions for the selected ones or for the whole mailbox.
 * @param name the mailbox; null for all mailboxes
 */
export function ListTools({ name, listed }: { name: string | null; listed: readonly Message[] }) {
  const box = useRef<HTMLInputElement>(null);
  const count = selected.value.length;
  selectFrom(listed);
  useEffect(() => clearSelection, []);
  useEffect(() => {
    if (box.current) box.current.indeterminate = count > 0 && count < listed.length;
  }, [count, listed.length]);
  useSelectAllKey();
  return (
    <div class="list-tools" role="toolbar" aria-label="Messages">
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all"
        title="Select all"
        disabled={listed.length === 0}
        checked={count > 0 && count === listed.length}
        onChange={() => {
          if (count === 0) selectAll();
          else clearSelection();
        }}
      />
      {count > 0 ? (
        <>
          <span class="list-state" role="status">
            {count} selected
          </span>
          <SelectionActions list={name === null ? to.all() : to.mailbox(name)} />
          <IconButton icon="close" label="Clear selection" onClick={clearSelection} />
        </>
      ) : name === null ? (
        mailboxes.value && <UnreadState of={mailboxes.value} />
      ) : (
        <ListActions name={name} />
      )}
    </div>
  );
}

/** The number of unread messages of the mailboxes. */
function UnreadState({ of }: { of: readonly Mailbox[] }) {
  const unread = of.reduce((sum, mailbox) => sum + unreadCount(mailbox), 0);
  return <span class="list-state">{unread > 0 ? `${unread} unread` : 'No unread messages'}</span>;
}

/** Actions for all messages of a mailbox, whether they are loaded or not. */
function ListActions({ name }: { name: string }) {
  const mailbox = mailboxes.value?.find((one) => one.name === name);
  const marking = useAction(async () => {
    if (mailbox) await orTold(markAllRead(mailbox.id, name));
  });
  const clearing = useAction(async () => {
    await orTold(clearSoon(name));
    if (route.value.view === 'message') go(to.mailbox(name));
  });
  if (!mailbox) return null;
  const unread = unreadCount(mailbox);
  return (
    <>
      <UnreadState of={[mailbox]} />
      {recipient.value === null && query.value === '' && (
        <>
          {unread > 0 && (
            <Button tone="quiet" busy={marking.isBusy} onClick={() => void marking.run()}>
              Mark all read
            </Button>
          )}
          {mayChange.value && (
            <Button
              tone="quiet"
              title="Delete all messages of this mailbox"
              busy={clearing.isBusy}
              onClick={() => void clearing.run()}
            >
              Clear
            </Button>
          )}
        </>
      )}
    </>
  );
}

/** There is no place for an error in the row of tools. */
async function orTold(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    toast(toApiError(error).message, { tone: 'bad' });
  }
}

/** Actions for the selected messages of the list with this path. */
function SelectionActions({ list }: { list: string }) {
  const remove = () => {
    if (!mayChange.value) return;
    const messages = selected.value.map((one) => ({ id: one.id, mailbox: mailboxOf(one) }));
    const isOpen = messages.some(({ id }) => id === openIdOf(route.value));
    deleteSoon(messages);
    clearSelection();
    if (isOpen) go(list);
  };
  const markSelected = () => {
    for (const { id, name } of mailboxes.value ?? []) {
      markRead(
        id,
        selected.value.filter((one) => mailboxOf(one) === name),
      );
    }
    clearSelection();
  };
  useShortcuts({ Escape: clearSelection, Delete: remove, x: remove });
  return (
    <>
      {mailboxes.value !== null && selected.value.some(({ id }) => isUnread(id)) && (
        <Button tone="quiet" onClick={markSelected}>
          Mark read
        </Button>
      )}
      {mayChange.value && (
        <Button tone="quiet" class="is-danger" onClick={remove}>
          Delete
        </Button>
      )}
    </>
  );
}

/** Ctrl+A or Cmd+A selects all messages while the focus is in the list. */
function useSelectAllKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'a' || !(event.ctrlKey || event.metaKey)) return;
      if (!document.activeElement?.closest('.message-list, .list-tools')) return;
      event.preventDefault();
      selectAll();
    };
    addEventListener('keydown', press);
    return () => {
      removeEventListener('keydown', press);
    };
  }, []);
}
