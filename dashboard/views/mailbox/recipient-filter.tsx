import { session } from '../../state/session.ts';
import { useLoaded } from '../../state/use-loaded.ts';
import { listRecipients } from '../../rest/capture.ts';
import { filterInbox, inbox, recipient } from '../../state/inbox.ts';

/** Selects a caught recipient. Absent, and without a request, while no loaded message is caught. */
export function RecipientFilter({ name }: { name: string }) {
  const newest = recipient.value === null ? newestCaught(name) : '';
  if (newest === '' && recipient.value === null) return null;
  return <RecipientSelect name={name} newest={newest} />;
}

/**
 * @param newest id of the newest caught message; the recipients are loaded again when it changes.
 */
function RecipientSelect({ name, newest }: { name: string; newest: string }) {
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

/**
 * The id of the newest loaded message with an envelope recipient other than the mailbox; empty if
 * none.
 */
function newestCaught(name: string): string {
  const domain = `@${session.value?.workspace.domain ?? ''}`;
  const isOwn = (address: string) => {
    const folded = address.toLowerCase();
    return (folded.startsWith(`${name}+`) && folded.endsWith(domain)) || folded === name + domain;
  };
  const caught = inbox.value?.messages.find(({ envelope }) => !envelope.to.every(isOwn));
  return caught?.id ?? '';
}
