import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { ErrorText } from '../../components/error-text.js';
import { type Inbox, inboxFailure, isLoadingMore, loadMore } from '../../state/inbox.js';
import { mailboxes } from '../../state/mailboxes.js';
import { session } from '../../state/session.js';
import { span } from '../../format/times.js';

/** Loads the next page when scrolled into view, and shows the number of messages. */
export function ListEnd({
  inbox,
  shown,
  isSearch,
}: {
  inbox: Inbox;
  shown: number;
  isSearch: boolean;
}) {
  const end = useRef<HTMLDivElement>(null);
  const { nextCursor } = inbox;
  useEffect(() => {
    if (!end.current || nextCursor === null || isSearch) return;
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
  }, [nextCursor, isSearch]);

  const total = mailboxes.value?.find(({ name }) => name === inbox.name)?.messageCount;
  const loaded = inbox.messages.length;
  const ttl = session.value?.limits.messageTtlMs;
  return (
    <div class="list-end" ref={end}>
      {isSearch ? (
        <p>
          {shown === 0 ? 'No matches' : `${shown} ${shown === 1 ? 'match' : 'matches'}`} in the{' '}
          {loaded} loaded messages
          {total !== undefined && total > loaded ? ` of ${total}` : ''}.
        </p>
      ) : (
        nextCursor === null && ttl !== undefined && <p>Messages are kept for {span(ttl)}.</p>
      )}
      <ErrorText error={inboxFailure.value} />
      {nextCursor !== null && (
        <Button tone="quiet" busy={isLoadingMore.value} onClick={() => void loadMore()}>
          {isLoadingMore.value ? 'Loading…' : 'Load older messages'}
        </Button>
      )}
    </div>
  );
}
