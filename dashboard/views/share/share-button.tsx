import { useState } from 'preact/hooks';
import { IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { mayManageTokens } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { NewShare } from './new-share.tsx';

/**
 * Makes a share link to a mailbox, or to one of its messages. Without the right to create tokens,
 * the button is absent, and the shortcut says why.
 */
export function ShareButton({ name, messageId }: { name: string; messageId: string | null }) {
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setOpen(true);
  };
  const close = () => {
    setOpen(false);
  };
  useShortcuts({ s: open });
  const what = messageId === null ? 'mailbox' : 'message';
  return (
    <>
      {mayManageTokens.value && <IconButton icon="share" label={`Share ${what}`} onClick={open} />}
      {isOpen && (
        <Dialog title={`Share the ${what}`} onClose={close}>
          {mayManageTokens.value ? (
            <NewShare name={name} messageId={messageId} onClose={close} />
          ) : (
            <p class="prose">
              You cannot create a share link. A share link contains a new token, and only a token
              with the role admin and access to all mailboxes can create tokens. Ask an admin of
              this workspace for a link.
            </p>
          )}
        </Dialog>
      )}
    </>
  );
}
