import { useLoaded } from '../../state/use-loaded.js';
import { listRecipients } from '../../rest/capture.js';
import { filterInbox, inbox, recipient } from '../../state/inbox.js';

/** Selects a caught recipient. Absent if the mailbox has none. */
export function RecipientFilter({ name }: { name: string }) {
  const newest = recipient.value === null ? (inbox.value?.messages[0]?.id ?? '') : '';
  const { value } = useLoaded(`${name} ${newest}`, () => listRecipients(name));
  const found = value?.recipients ?? [];
  if (found.length === 0 && recipient.value === null) return null;
  return (
    <select
      class="recipient-filter"
      aria-label="Recipient"
      value={recipient.value ?? ''}
      onChange={(event) => {
        filterInbox(event.currentTarget.value || null);
      }}
    >
      <option value="">All recipients</option>
      {recipient.value !== null && !found.some(({ address }) => address === recipient.value) && (
        <option value={recipient.value}>{recipient.value}</option>
      )}
      {found.map(({ address, messageCount }) => (
        <option key={address} value={address}>
          {address} ({messageCount})
        </option>
      ))}
    </select>
  );
}
