import { useEffect } from 'preact/hooks';
import { ButtonLink } from '../../components/button.tsx';
import { Notice } from '../../components/placeholders.tsx';
import { to } from '../../routing/routes.ts';
import { closeInbox, inbox, messages, openInbox, query, recipient } from '../../state/inbox.ts';
import { arrivals, mailboxes, mailboxesFailure } from '../../state/mailboxes.ts';
import { useTitle } from '../../state/use-title.ts';
import { MessageView } from '../message/message-view.tsx';
import { EmptyMailbox } from './empty-mailbox.tsx';
import { MailboxHead } from './mailbox-head.tsx';
import { MessageList } from './message-list.tsx';
import { NothingOpen } from './nothing-open.tsx';
import { useArrivals } from './use-arrivals.ts';

/** A mailbox: the message list, and the open message beside it. */
export function MailboxView({ name, messageId }: { name: string; messageId: string | null }) {
  const mailbox = mailboxes.value?.find((one) => one.name === name) ?? null;
  // The list follows the labels of the mailbox, and would be moved by them.
  const isHeadComplete = mailboxes.value !== null || mailboxesFailure.value !== null;
  const isMissing = mailboxes.value !== null && mailbox === null;
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

function NoSuchMailbox({ name }: { name: string }) {
  return (
    <Notice icon="inbox" title={`Mailbox ${name} not found`}>
      <p>It was deleted, or it belongs to another workspace.</p>
      <ButtonLink href={to.mailboxes()}>All mailboxes</ButtonLink>
    </Notice>
  );
}
