import { Icon } from '../../components/icon.tsx';
import { Countdown } from '../../components/time.tsx';
import type { Mailbox } from '../../rest/shapes.ts';
import { labelFilter, labelText } from '../../state/labels.ts';

/** The labels of the mailbox, each of which filters the list of mailboxes, and its time left. */
export function MailboxFacts({ mailbox }: { mailbox: Mailbox }) {
  const labels = Object.entries(mailbox.labels);
  if (labels.length === 0 && mailbox.expiresAt === null) return null;
  return (
    <div class="mailbox-facts">
      {mailbox.expiresAt !== null && (
        <span class="expiry" title="Time until the mailbox expires">
          <Icon name="clock" />
          <Countdown until={mailbox.expiresAt} />
        </span>
      )}
      {labels.map(([key, value]) => {
        const label = labelText(key, value);
        return (
          <button
            key={key}
            type="button"
            class="tag label"
            title={`Filter the mailboxes by ${label}`}
            aria-pressed={labelFilter.value === label}
            onClick={() => {
              labelFilter.value = labelFilter.value === label ? null : label;
            }}
          >
            <bdi>{label}</bdi>
          </button>
        );
      })}
    </div>
  );
}
