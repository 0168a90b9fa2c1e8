import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ErrorText } from '../../components/form.tsx';
import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { span } from '../../format/times.ts';
import type { ApiError } from '../../rest/api-error.ts';
import type { Message } from '../../rest/shapes.ts';
import { to } from '../../routing/routes.ts';
import {
  type Inbox,
  inbox,
  inboxFailure,
  isLoadingMore,
  loadMore,
  mailboxOf,
  messages,
  query,
  refreshInbox,
} from '../../state/inbox.ts';
import { session } from '../../state/session.ts';
import { ListTools } from './list-tools.tsx';
import { MessageRow } from './message-row.tsx';
import { RecipientFilter } from './recipient-filter.tsx';
import { SearchField } from './search-field.tsx';
import { useListKeys } from './use-list-keys.ts';

/**
 * The messages, newest first, updated live. Scrolling loads older ones.
 * @param name the mailbox; null for all mailboxes
 */
export function MessageList({ name, openId }: { name: string | null; openId: string | null }) {
  const hrefOf = (message: Message) =>
    (name === null ? to.allMessage : to.message)(mailboxOf(message), message.id);
  const list = useListKeys(hrefOf, messages.value, openId);
  const current = inbox.value;
  const isSearch = query.value !== '';
  const failure = inboxFailure.value;
  // A query that is not valid is explained below the field.
  const fault = isSearch && failure?.status === 400 ? failure : null;

  if (!current && failure && !fault) {
    return (
      <Failure title="The messages could not be loaded" error={failure} onRetry={refreshInbox} />
    );
  }
  return (
    <>
      {name !== null && <RecipientFilter name={name} />}
      <SearchField isAll={name === null} />
      {fault && <ErrorText error={fault} />}
      <ListTools name={name} listed={messages.value} />
      <div class="message-scroll">
        {!current ? (
          <Skeleton lines={6} kind="rows" />
        ) : (
          <ul class="message-list" ref={list}>
            {messages.value.map((message) => (
              <MessageRow
                key={message.id}
                href={hrefOf(message)}
                message={message}
                isOpen={message.id === openId}
                isNew={current.arrived.has(message.id)}
              />
            ))}
          </ul>
        )}
        {current && <ListEnd inbox={current} failure={fault ? null : failure} />}
      </div>
    </>
  );
}

/** Loads the next page when scrolled into view, and says what is shown. */
function ListEnd({ inbox, failure }: { inbox: Inbox; failure: ApiError | null }) {
  const end = useRef<HTMLDivElement>(null);
  const { nextCursor, listed } = inbox;
  useEffect(() => {
    if (!end.current || nextCursor === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) void loadMore();
      },
      { rootMargin: '400px' },
    );
    observer.observe(end.current);
    return () => {
      observer.disconnect();
    };
  }, [nextCursor]);
  return (
    <div class="list-end" ref={end}>
      {listed.query === '' ? <Kept isEnd={nextCursor === null} /> : <Found inbox={inbox} />}
      <ErrorText error={failure} />
      {nextCursor !== null && (
        <Button tone="quiet" busy={isLoadingMore.value} onClick={() => void loadMore()}>
          {isLoadingMore.value ? 'Loading…' : 'Load older messages'}
        </Button>
      )}
    </div>
  );
}

function Kept({ isEnd }: { isEnd: boolean }) {
  const ttl = session.value?.limits.messageTtlMs;
  return isEnd && ttl !== undefined ? <p>Messages are kept for {span(ttl)}.</p> : null;
}

function Found({ inbox: { messages, nextCursor, isComplete } }: { inbox: Inbox }) {
  const count = messages.length;
  if (nextCursor !== null) return isComplete ? null : <p>Older messages are not searched yet.</p>;
  const matches = `${count} ${count === 1 ? 'match' : 'matches'}.`;
  return <p role="status">{count === 0 ? 'No matches.' : matches}</p>;
}
