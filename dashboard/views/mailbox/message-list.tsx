import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ErrorText } from '../../components/form.tsx';
import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { span } from '../../format/times.ts';
import type { ApiError } from '../../rest/api-error.ts';
import type { Message } from '../../rest/shapes.ts';
import { go, to } from '../../routing/routes.ts';
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
import { useShortcuts } from '../../state/shortcuts.ts';
import { RecipientFilterField, SearchField } from './list-filter.tsx';
import { ListTools } from './list-tools.tsx';
import { MessageItem } from './message-row.tsx';

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
      {name !== null && <RecipientFilterField name={name} />}
      <SearchField isAll={name === null} />
      {fault && <ErrorText error={fault} />}
      <ListTools name={name} listed={messages.value} />
      <div class="message-scroll">
        {!current ? (
          <Skeleton lines={6} kind="rows" />
        ) : (
          <ul class="message-list" ref={list}>
            {messages.value.map((message) => (
              <MessageItem
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

/**
 * List keys: j, k and arrows. While a message is open they open the next one; otherwise they move
 * the focus, and Enter opens the focused row. Attach the ref to the list.
 */
function useListKeys(
  hrefOf: (message: Message) => string,
  messages: Message[],
  openId: string | null,
): RefObject<HTMLUListElement | null> {
  const list = useRef<HTMLUListElement>(null);
  const row = (id: string) =>
    list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
  const focusedId = () =>
    document.activeElement instanceof HTMLElement
      ? document.activeElement.dataset['id']
      : undefined;

  const move = (by: number) => {
    const from = openId ?? focusedId();
    const at = messages.findIndex(({ id }) => id === from);
    const next = messages[at < 0 ? 0 : at + by];
    if (!next) return;
    row(next.id)?.focus();
    row(next.id)?.scrollIntoView({ block: 'nearest' });
    if (openId !== null) go(hrefOf(next), { replace: true });
  };
  /** Arrow keys keep scrolling inside scrollable elements. */
  const arrow = (by: number) => {
    const { activeElement } = document;
    const isElsewhere = activeElement?.matches('body, main') !== true;
    if (!isElsewhere || list.current?.contains(activeElement)) move(by);
  };
  useShortcuts({
    j: () => {
      move(1);
    },
    k: () => {
      move(-1);
    },
    ArrowDown: () => {
      arrow(1);
    },
    ArrowUp: () => {
      arrow(-1);
    },
  });
  return list;
}
