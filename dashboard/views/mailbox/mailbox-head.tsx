import { useState } from 'preact/hooks';
import { IconButton, IconLink } from '../../components/button.tsx';
import { CopyButton, copyText } from '../../components/copy-button.tsx';
import type { Mailbox } from '../../rest/shapes.ts';
import { go } from '../../routing/location.ts';
import { to } from '../../routing/routes.ts';
import { mayChange, session } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { toast } from '../../state/toasts.ts';
import { ShareButton } from '../share/share-button.tsx';
import { DeleteMailbox } from './delete-mailbox.tsx';
import { MailboxFacts } from './mailbox-facts.tsx';

/** The address of the mailbox and its actions. */
export function MailboxHead({ name, mailbox }: { name: string; mailbox: Mailbox | null }) {
  const [isDeleting, setDeleting] = useState(false);
  const address = mailbox?.address ?? `${name}@${session.value?.workspace.domain ?? ''}`;
  useShortcuts({
    c: () => {
      if (mayChange.value) go(to.compose(name));
    },
    y: () => {
      void copyText(address).then((done) => done && toast('Address copied'));
    },
  });
  return (
    <header class="mailbox-head">
      <div class="mailbox-heading">
        <IconLink icon="back" href={to.mailboxes()} label="All mailboxes" class="only-narrow" />
        <h1>{name}</h1>
        <div class="mailbox-actions">
          {mayChange.value && <IconLink icon="send" href={to.compose(name)} label="Compose" />}
          <IconLink icon="code" href={to.connect(name)} label="Connect your app" />
          <IconLink icon="webhook" href={to.webhooks(name)} label="Webhooks" />
          <ShareButton name={name} messageId={null} />
          {mayChange.value && (
            <IconButton
              icon="trash"
              label="Delete mailbox"
              onClick={() => {
                setDeleting(true);
              }}
            />
          )}
        </div>
      </div>
      <div class="address">
        <span class="address-text">{address}</span>
        <CopyButton text={address} label="Copy address" />
      </div>
      {mailbox && <MailboxFacts mailbox={mailbox} />}
      {isDeleting && (
        <DeleteMailbox
          name={name}
          count={mailbox?.messageCount ?? 0}
          onClose={() => {
            setDeleting(false);
          }}
        />
      )}
    </header>
  );
}
