import { useEffect } from 'preact/hooks';
import { IconLink } from '../../components/button.tsx';
import { Notice } from '../../components/placeholders.tsx';
import { to } from '../../routing/routes.ts';
import { closeInbox, openInbox } from '../../state/inbox.ts';
import { useTitle } from '../../state/use-title.ts';
import { MessageView } from '../message/message-view.tsx';
import { MessageList } from './message-list.tsx';
import { useArrivals } from './use-arrivals.ts';

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
