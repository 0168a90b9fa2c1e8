import { Button } from '../../components/button.js';
import { go, route } from '../../routing/location.js';
import { to } from '../../routing/routes.js';
import { deleteSoon } from '../../state/deletion.js';
import { mailboxes } from '../../state/mailboxes.js';
import { isUnread, markRead } from '../../state/read-marks.js';
import { clearSelection, selected } from '../../state/selection.js';
import { mayChange } from '../../state/session.js';
import { useShortcuts } from '../../state/shortcuts.js';

/** Actions for the selected messages. */
export function SelectionActions({ name }: { name: string }) {
  const mailbox = mailboxes.value?.find((one) => one.name === name);
  const remove = () => {
    if (!mayChange.value) return;
    const ids = selected.value.map(({ id }) => id);
    const isOpen = route.value.view === 'message' && ids.includes(route.value.id);
    deleteSoon(name, ids);
    clearSelection();
    if (isOpen) go(to.mailbox(name));
  };
  useShortcuts({ Escape: clearSelection, Delete: remove, x: remove });
  return (
    <>
      {mailbox && selected.value.some(({ id }) => isUnread(id)) && (
        <Button
          tone="quiet"
          onClick={() => {
            markRead(mailbox.id, selected.value);
            clearSelection();
          }}
        >
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
