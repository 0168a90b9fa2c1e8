import { ErrorText } from '../../components/error-text.tsx';
import { Failure, Skeleton } from '../../components/placeholders.tsx';
import type { Message } from '../../rest/shapes.ts';
import { to } from '../../routing/routes.ts';
import {
  inbox,
  inboxFailure,
  mailboxOf,
  messages,
  query,
  refreshInbox,
} from '../../state/inbox.ts';
import { ListEnd } from './list-end.tsx';
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
