import { Button } from '../../components/button.tsx';
import { go, route } from '../../routing/location.ts';
import { openIdOf } from '../../routing/routes.ts';
import { byMailbox, deleteSoon } from '../../state/deletion.ts';
import { mailboxOf } from '../../state/inbox.ts';
import { mailboxes } from '../../state/mailboxes.ts';
import { isUnread, markRead } from '../../state/read-marks.ts';
import { clearSelection, selected } from '../../state/selection.ts';
import { mayChange } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';

/** Actions for the selected messages of the list with this path. */
export function SelectionActions({ list }: { list: string }) {
  const remove = () => {
    if (!mayChange.value) return;
    const messages = selected.value.map((one) => ({ id: one.id, mailbox: mailboxOf(one) }));
    const isOpen = messages.some(({ id }) => id === openIdOf(route.value));
    deleteSoon(messages);
    clearSelection();
    if (isOpen) go(list);
  };
  const markSelected = () => {
    for (const [name, messages] of byMailbox(selected.value, mailboxOf)) {
      const mailbox = mailboxes.value?.find((one) => one.name === name);
      if (mailbox) markRead(mailbox.id, messages);
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
