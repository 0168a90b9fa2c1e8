import { useEffect } from 'preact/hooks';
import { ButtonLink } from '../../components/button.tsx';
import { Failure, Notice, Skeleton } from '../../components/placeholders.tsx';
import { getMessage } from '../../rest/messages.ts';
import { go } from '../../routing/routes.ts';
import { now } from '../../state/clock.ts';
import { deleted } from '../../state/hidden-messages.ts';
import { mailboxes } from '../../state/mailboxes.ts';
import { markRead, markUnread } from '../../state/read-marks.ts';
import { deleteSoon } from '../../state/removal.ts';
import { debounce, useLoaded } from '../../state/requests.ts';
import { mayChange } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { ExtractedLine } from './extracted-line.tsx';
import { MessageBody } from './message-body.tsx';
import { MessageFacts } from './message-facts.tsx';
import { MessageHead } from './message-head.tsx';

/** The open message. `list` is the path of the list that it was opened from. */
export function MessageView({ name, id, list }: { name: string; id: string; list: string }) {
  const {
    value: message,
    error,
    reload,
  } = useLoaded(id, async (signal) => {
    await debounce(signal);
    return getMessage(name, id, signal);
  });
  const mailboxId = mailboxes.value?.find((mailbox) => mailbox.name === name)?.id;
  const back = () => {
    go(list);
  };
  const remove = () => {
    if (!message || !mayChange.value) return;
    deleteSoon([{ id, mailbox: name }]);
    back();
  };
  useShortcuts({
    Escape: back,
    u: back,
    x: remove,
    m: () => {
      markUnread(id);
      back();
    },
  });
  useEffect(() => {
    if (message && mailboxId !== undefined) markRead(mailboxId, [message]);
  }, [message, mailboxId]);

  const isOver = message !== null && Date.parse(message.expiresAt) <= now.value;
  if (error?.status === 404 || deleted.value.has(id) || isOver) {
    return (
      <Notice icon="mail" title="Message not found">
        <p>It was deleted or has expired.</p>
        <ButtonLink href={list}>Back to the list</ButtonLink>
      </Notice>
    );
  }
  if (error) {
    return <Failure title="The message could not be loaded" error={error} onRetry={reload} />;
  }
  if (!message) {
    return (
      <div class="message">
        <Skeleton lines={8} />
      </div>
    );
  }
  return (
    <article class="message" aria-label="Message">
      <MessageHead name={name} message={message} list={list} onDelete={remove} />
      <ExtractedLine name={name} id={id} />
      <MessageFacts name={name} message={message} />
      <MessageBody name={name} message={message} />
    </article>
  );
}
