import { Notice } from '../../components/placeholders.tsx';
import type { Mailbox } from '../../rest/shapes.ts';

/** Shown beside the list while no message is open. */
export function NothingOpen({ mailbox }: { mailbox: Mailbox | null }) {
  const count = mailbox?.messageCount;
  return (
    <Notice icon="mail" title="No message is open">
      <p>
        {count !== undefined &&
          `${count === 1 ? 'One message' : `${count} messages`} in this mailbox. `}
        New messages appear automatically.
      </p>
      <p class="keys">
        <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>Enter</kbd> to open, <kbd>?</kbd> for all shortcuts
      </p>
    </Notice>
  );
}
