import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ErrorText } from '../../components/error-text.tsx';
import type { ApiError } from '../../rest/api-error.ts';
import { type Inbox, isLoadingMore, loadMore } from '../../state/inbox.ts';
import { session } from '../../state/session.ts';
import { span } from '../../format/times.ts';

/** Loads the next page when scrolled into view, and says what is shown. */
export function ListEnd({ inbox, failure }: { inbox: Inbox; failure: ApiError | null }) {
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
