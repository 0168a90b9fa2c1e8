import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorText } from '../../components/error-text.tsx';
import { createToken } from '../../rest/tokens.ts';
import { to } from '../../routing/routes.ts';
import { shareUrl } from '../../state/share-link.ts';
import { useAction } from '../../state/use-action.ts';

const DAY_SECONDS = 86_400;

/** Creates a share link and shows it once. */
export function NewShare({
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
