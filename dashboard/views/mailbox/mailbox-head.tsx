import { useState } from 'preact/hooks';
import { IconButton, IconLink } from '../../components/button.tsx';
import { CopyButton, copyText } from '../../components/copy-button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { Countdown } from '../../components/time.tsx';
import type { Mailbox } from '../../rest/shapes.ts';
import { go, to } from '../../routing/routes.ts';
import { labelFilter, labelText } from '../../state/labels.ts';
import { removeMailbox } from '../../state/mailboxes.ts';
import { mayChange, session } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { toast } from '../../state/toasts.ts';
import { ShareButton } from '../share.tsx';

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

/** The labels of the mailbox, each of which filters the list of mailboxes, and its time left. */
function MailboxFacts({ mailbox }: { mailbox: Mailbox }) {
  const labels = Object.entries(mailbox.labels);
  if (labels.length === 0 && mailbox.expiresAt === null) return null;
  return (
    <div class="mailbox-facts">
      {mailbox.expiresAt !== null && (
        <span class="expiry" title="Time until the mailbox expires">
          <Icon name="clock" />
          <Countdown until={mailbox.expiresAt} />
        </span>
      )}
      {labels.map(([key, value]) => {
        const label = labelText(key, value);
        return (
          <button
            key={key}
            type="button"
            class="tag label"
            title={`Filter the mailboxes by ${label}`}
            aria-pressed={labelFilter.value === label}
            onClick={() => {
              labelFilter.value = labelFilter.value === label ? null : label;
            }}
          >
            <bdi>{label}</bdi>
          </button>
        );
      })}
    </div>
  );
}

function DeleteMailbox({
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
