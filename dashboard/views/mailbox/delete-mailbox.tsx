import { ConfirmDialog } from '../../components/dialog.tsx';
import { go } from '../../routing/location.ts';
import { to } from '../../routing/routes.ts';
import { removeMailbox } from '../../state/mailboxes.ts';
import { toast } from '../../state/toasts.ts';

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
