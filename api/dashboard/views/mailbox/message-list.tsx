import { ErrorText } from '../../components/error-text.js';
import { Failure } from '../../components/failure.js';
import { Skeleton } from '../../components/skeleton.js';
import type { Message } from '../../rest/shapes.js';
import { to } from '../../routing/routes.js';
import {
  inbox,
  inboxFailure,
  mailboxOf,
  messages,
  query,
  refreshInbox,
} from '../../state/inbox.js';
import { ListEnd } from './list-end.js';
import { ListTools } from './list-tools.js';
import { MessageRow } from './message-row.js';
import { RecipientFilter } from './recipient-filter.js';
import { SearchField } from './search-field.js';
import { useListKeys } from './use-list-keys.js';

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
