import { useState } from 'preact/hooks';
import { Button, IconButton } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { ConfirmDialog, Dialog } from '../components/dialog.tsx';
import { ErrorText } from '../components/form.tsx';
import { absolute } from '../format/times.ts';
import { createToken } from '../rest/access.ts';
import { to } from '../routing/routes.ts';
import { useAction } from '../state/requests.ts';
import { mayManageTokens, session } from '../state/session.ts';
import { acceptOffer, offer, shareUrl } from '../state/share-link.ts';
import { useShortcuts } from '../state/shortcuts.ts';

const DAY_SECONDS = 86_400;

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

/** Creates a share link and shows it once. */
function NewShare({
  name,
  messageId,
  onClose,
}: {
  name: string;
  messageId: string | null;
  onClose: () => void;
}) {
  const [url, setUrl] = useState<string | null>(null);
  const { run, isBusy, error } = useAction(async () => {
    const { token } = await createToken({
      name: `Link to ${name}`,
      role: 'reader',
      expiresIn: DAY_SECONDS,
      mailboxes: [name],
    });
    setUrl(shareUrl(messageId === null ? to.mailbox(name) : to.message(name, messageId), token));
  });
  return (
    <>
      <div class="prose">
        <p>
          The link opens {messageId === null ? 'this mailbox' : 'this message'} read-only for 24
          hours. Everybody with the link can read <strong>all messages of {name}</strong>, including
          those that arrive later.
        </p>
        <p>
          It is listed under <a href={to.tokens()}>API tokens</a>, where you can revoke it.
        </p>
      </div>
      {url !== null && (
        <div class="share-link">
          <code>{url}</code>
        </div>
      )}
      <ErrorText error={error} />
      <footer class="dialog-foot">
        <Button onClick={onClose}>{url === null ? 'Cancel' : 'Done'}</Button>
        {url === null ? (
          <Button tone="main" icon="share" busy={isBusy} autofocus onClick={() => void run()}>
            Create link
          </Button>
        ) : (
          <CopyButton text={url} label="Copy the link" words="Copy link" tone="main" />
        )}
      </footer>
    </>
  );
}

/** Asks whether a share link replaces the session of the user. */
export function ReplaceSession() {
  const offered = offer.value;
  if (!offered) return null;
  const { mailboxes, expiresAt } = offered.shared;
  const current = session.value?.token;
  return (
    <ConfirmDialog
      title="Open the share link?"
      confirm="Sign out and open"
      tone="main"
      onConfirm={() => acceptOffer(offered)}
      onClose={() => {
        offer.value = null;
      }}
    >
      <p>
        The link gives read-only access to <strong>{mailboxes?.join(', ')}</strong>
        {expiresAt !== null && ` until ${absolute(Date.parse(expiresAt))}`}.
      </p>
      {current && (
        <p>
          You are signed in as <strong>{current.name}</strong> ({current.role}). Opening the link
          signs you out in all tabs of this browser.
        </p>
      )}
    </ConfirmDialog>
  );
}
