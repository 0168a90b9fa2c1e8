import { useState } from 'preact/hooks';
import { Failure } from '../../components/failure.js';
import { Skeleton } from '../../components/skeleton.js';
import { inbox, inboxFailure, messages, refreshInbox } from '../../state/inbox.js';
import { ListEnd } from './list-end.js';
import { ListTools } from './list-tools.js';
import { MessageRow } from './message-row.js';
import { matches } from './search.js';
import { RecipientFilter } from './recipient-filter.js';
import { SearchField } from './search-field.js';
import { useListKeys } from './use-list-keys.js';

/** The messages, newest first, updated live. Scrolling loads older ones. */
export function MessageList({ name, openId }: { name: string; openId: string | null }) {
  const [query, setQuery] = useState('');
  const all = messages.value;
  const found = query.trim() === '' ? all : all.filter((one) => matches(one, query.trim()));
  const list = useListKeys(name, found, openId);
  const current = inbox.value;

  if (!current && inboxFailure.value) {
    return (
      <Failure
        title="The messages could not be loaded"
        error={inboxFailure.value}
        onRetry={refreshInbox}
      />
    );
  }
  return (
    <>
      <RecipientFilter name={name} />
      <SearchField query={query} onChange={setQuery} />
      <ListTools name={name} listed={found} />
      <div class="message-scroll">
        {!current ? (
          <Skeleton lines={6} kind="rows" />
        ) : (
          <ul class="message-list" ref={list}>
            {found.map((message) => (
              <MessageRow
                key={message.id}
                name={name}
                message={message}
                isOpen={message.id === openId}
                isNew={current.arrived.has(message.id)}
              />
            ))}
          </ul>
        )}
        {current && <ListEnd inbox={current} shown={found.length} isSearch={query.trim() !== ''} />}
      </div>
    </>
  );
}
