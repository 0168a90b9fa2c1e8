import { Notice } from '../../components/notice.js';
import type { Mailbox } from '../../rest/shapes.js';

/** Beside a list of which nothing is open. */
export function NothingOpen({ mailbox }: { mailbox: Mailbox | null }) {
  const count = mailbox?.messageCount;
  return (
    <Notice icon="mail" title="No message is open">
      <p>
        {count !== undefined &&
          `${count === 1 ? 'One message' : `${count} messages`} in this mailbox. `}
        New ones appear by themselves.
      </p>
      <p class="keys">
        <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>Enter</kbd> to open, <kbd>?</kbd> for more
      </p>
    </Notice>
  );
}
