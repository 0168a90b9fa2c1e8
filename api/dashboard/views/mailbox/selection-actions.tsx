import { Button } from '../../components/button.js';
import { go, route } from '../../routing/location.js';
import { openIdOf } from '../../routing/routes.js';
import { byMailbox } from '../../state/by-mailbox.js';
import { deleteSoon } from '../../state/deletion.js';
import { mailboxOf } from '../../state/inbox.js';
import { mailboxes } from '../../state/mailboxes.js';
import { isUnread, markRead } from '../../state/read-marks.js';
import { clearSelection, selected } from '../../state/selection.js';
import { mayChange } from '../../state/session.js';
import { useShortcuts } from '../../state/shortcuts.js';

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
