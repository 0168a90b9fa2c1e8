import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { go } from '../../routing/location.js';
import { to } from '../../routing/routes.js';
import { removeMailbox } from '../../state/mailboxes.js';
import { toast } from '../../state/toasts.js';

export function DeleteMailbox({
  name,
  count,
  onClose,
}: {
  name: string;
  count: number;
  onClose: () => void;
}) {
  const remove = async () => {
    await removeMailbox(name);
    go(to.mailboxes(), { replace: true });
    toast(`Mailbox ${name} deleted`);
  };
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirm="Delete mailbox"
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        The mailbox stops receiving mail at once. Its{' '}
        {count > 0 && (
          <>
            <strong>{count === 1 ? 'one message' : `${count} messages`}</strong>,{' '}
          </>
        )}
        webhooks and SMTP credentials are deleted too. This cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
