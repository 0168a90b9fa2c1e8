import { Button } from '../../components/button.tsx';
import { toApiError } from '../../rest/api-error.ts';
import { go, route } from '../../routing/location.ts';
import { to } from '../../routing/routes.ts';
import { clearSoon } from '../../state/clearing.ts';
import { query, recipient } from '../../state/inbox.ts';
import { mailboxes } from '../../state/mailboxes.ts';
import { markAllRead, unreadCount } from '../../state/read-marks.ts';
import { mayChange } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useAction } from '../../state/use-action.ts';
import { UnreadState } from './unread-state.tsx';

/** Actions for all messages of a mailbox, whether they are loaded or not. */
export function ListActions({ name }: { name: string }) {
  const mailbox = mailboxes.value?.find((one) => one.name === name);
  const marking = useAction(async () => {
    if (mailbox) await orTold(markAllRead(mailbox.id, name));
  });
  const clearing = useAction(async () => {
    await orTold(clearSoon(name));
    if (route.value.view === 'message') go(to.mailbox(name));
  });
  if (!mailbox) return null;
  const unread = unreadCount(mailbox);
  return (
    <>
      <UnreadState of={[mailbox]} />
      {recipient.value === null && query.value === '' && (
        <>
          {unread > 0 && (
            <Button tone="quiet" busy={marking.isBusy} onClick={() => void marking.run()}>
              Mark all read
            </Button>
          )}
          {mayChange.value && (
            <Button
              tone="quiet"
              title="Delete all messages of this mailbox"
              busy={clearing.isBusy}
              onClick={() => void clearing.run()}
            >
              Clear
            </Button>
          )}
        </>
      )}
    </>
  );
}

/** There is no place for an error in the row of tools. */
async function orTold(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    toast(toApiError(error).message, { tone: 'bad' });
  }
}
