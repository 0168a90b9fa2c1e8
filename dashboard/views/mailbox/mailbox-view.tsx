import { useEffect } from 'preact/hooks';
import { ButtonLink, IconLink } from '../../components/button.tsx';
import { useTitle } from '../../components/page.tsx';
import { Notice } from '../../components/placeholders.tsx';
import { removeDisguise } from '../../format/visible-text.ts';
import type { Mailbox } from '../../rest/shapes.ts';
import { to } from '../../routing/routes.ts';
import {
  closeInbox,
  inbox,
  messages,
  openInbox,
  query,
  recipient,
  watchArrivals,
} from '../../state/inbox.ts';
import {
  arrivals,
  clearArrivals,
  isWhole,
  loadMailbox,
  mailboxes,
  mailboxesFailure,
  missingNames,
} from '../../state/mailboxes.ts';
import { announce } from '../../state/toasts.ts';
import { MessageView } from '../message/message-view.tsx';
import { EmptyMailbox } from './empty-mailbox.tsx';
import { MailboxHead } from './mailbox-head.tsx';
import { MessageList } from './message-list.tsx';

/** A mailbox: the message list, and the open message beside it. */
export function MailboxView({ name, messageId }: { name: string; messageId: string | null }) {
  const mailbox = mailboxes.value?.find((one) => one.name === name) ?? null;
  // The list follows the labels of the mailbox, and would be moved by them.
  const isHeadComplete = mailboxes.value !== null || mailboxesFailure.value !== null;
  const isUnlisted = mailboxes.value !== null && mailbox === null;
  const isMissing = isUnlisted && (isWhole.value || missingNames.value.has(name));
  useEffect(() => {
    if (isUnlisted && !isMissing) void loadMailbox(name);
  }, [name, isUnlisted, isMissing]);
  useEffect(() => {
    // A new mailbox can get the same name.
    if (isMissing) closeInbox();
    else openInbox(name);
  }, [name, isMissing]);
  useEffect(() => closeInbox, []);
  useArrivals(name);
  const fresh = Object.values(arrivals.value).reduce((sum, count) => sum + count, 0);
  useTitle(fresh > 0 ? `(${fresh}) ${name}` : name);

  if (isMissing) return <NoSuchMailbox name={name} />;
  const isFiltered = recipient.value !== null || query.value !== '';
  const isLoadedEmpty = inbox.value?.listed.query === '' && messages.value.length === 0;
  const isEmpty = isLoadedEmpty && messageId === null && !isFiltered;
  return (
    <div class={`mailbox ${isEmpty ? 'is-empty' : ''}`}>
      <section class="mailbox-pane" aria-label={`Messages of ${name}`}>
        <MailboxHead name={name} mailbox={mailbox} />
        {isEmpty && mailbox ? (
          <EmptyMailbox mailbox={mailbox} />
        ) : (
          isHeadComplete && <MessageList key={name} name={name} openId={messageId} />
        )}
      </section>
      {!isEmpty && (
        <section class="message-pane" aria-label="Message">
          {messageId === null ? (
            <NothingOpen mailbox={mailbox} />
          ) : (
            <MessageView key={messageId} name={name} id={messageId} list={to.mailbox(name)} />
          )}
        </section>
      )}
    </div>
  );
}

/** The messages of all mailboxes, and the open message beside them. */
export function AllMail({ open }: { open: { name: string; id: string } | null }) {
  useEffect(() => {
    openInbox(null);
    return closeInbox;
  }, []);
  useArrivals(null);
  useTitle('All mail');
  return (
    <div class="mailbox">
      <section class="mailbox-pane" aria-label="All mail">
        <header class="mailbox-head">
          <div class="mailbox-heading">
            <IconLink icon="back" href={to.mailboxes()} label="All mailboxes" class="only-narrow" />
            <h1>All mail</h1>
          </div>
        </header>
        <MessageList name={null} openId={open?.id ?? null} />
      </section>
      <section class="message-pane" aria-label="Message">
        {open ? (
          <MessageView key={open.id} name={open.name} id={open.id} list={to.all()} />
        ) : (
          <Notice icon="mail" title="No message is open">
            <p>New messages of all mailboxes appear automatically.</p>
            <p class="keys">
              <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>Enter</kbd> to open, <kbd>/</kbd> to search
            </p>
          </Notice>
        )}
      </section>
    </div>
  );
}

function NoSuchMailbox({ name }: { name: string }) {
  return (
    <Notice icon="inbox" title={`Mailbox ${name} not found`}>
      <p>It was deleted, or it belongs to another workspace.</p>
      <ButtonLink href={to.mailboxes()}>All mailboxes</ButtonLink>
    </Notice>
  );
}

/** Shown beside the list while no message is open. */
function NothingOpen({ mailbox }: { mailbox: Mailbox | null }) {
  const count = mailbox?.messageCount;
  return (
    <Notice icon="mail" title="No message is open">
      <p>
        {count !== undefined &&
          `${count === 1 ? 'One message' : `${count} messages`} in this mailbox. `}
        New messages appear automatically.
      </p>
      <p class="keys">
        <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>Enter</kbd> to open, <kbd>?</kbd> for all shortcuts
      </p>
    </Notice>
  );
}

/**
 * Announces new mail, and clears the count of arrivals of the mailbox while the page is visible.
 * @param name null for all mailboxes
 */
function useArrivals(name: string | null): void {
  useEffect(() => {
    watchArrivals(([first, ...others]) => {
      if (!first) return;
      const more = others.length > 0 ? ` and ${others.length} more` : '';
      announce(
        `New mail from ${removeDisguise(first.fromName ?? first.from)}: ${removeDisguise(first.subject)}${more}`,
      );
    });
    const look = () => {
      if (name !== null && !document.hidden) clearArrivals(name);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      watchArrivals(() => undefined);
    };
  }, [name]);
}
