import { Avatar } from '../../components/avatar.tsx';
import { IconButton, IconLink } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Countdown, Time } from '../../components/time.tsx';
import { visibleText } from '../../format/visible-text.ts';
import { rawPath } from '../../rest/paths.ts';
import type { Message } from '../../rest/shapes.ts';
import { mayChange } from '../../state/session.ts';
import { ShareButton } from '../share/share-button.tsx';
import { Addresses } from './addresses.tsx';
import { EnvelopeLine } from './envelope-line.tsx';

/** Sender, recipients, date and remaining time. */
export function MessageHead({
  name,
  message,
  list,
  onDelete,
}: {
  name: string;
  message: Message;
  /** The path of the list that the message was opened from. */
  list: string;
  onDelete: () => void;
}) {
  const { id, subject, from, fromName, to: recipients, cc, tag, receivedAt, expiresAt } = message;
  const sender = visibleText(fromName ?? '');
  return (
    <header class="message-head">
      <div class="message-title">
        <IconLink icon="back" href={list} label="Back to the list" class="only-narrow" />
        <h1 class="subject">
          <bdi>{visibleText(subject) || '(no subject)'}</bdi>
        </h1>
        <div class="row message-actions">
          <a
            class="icon-button"
            href={rawPath(name, id)}
            download
            aria-label="Download the raw mail"
            title="Download the raw mail"
          >
            <Icon name="download" />
          </a>
          <ShareButton name={name} messageId={id} />
          {mayChange.value && <IconButton icon="trash" label="Delete message" onClick={onDelete} />}
        </div>
      </div>
      <div class="correspondents">
        <Avatar name={sender || from} address={from} />
        <div class="correspondents-text">
          <p class="sender">
            {sender && (
              <strong>
                <bdi>{sender}</bdi>
              </strong>
            )}{' '}
            <bdi class="sender-address">{visibleText(from)}</bdi>
          </p>
          <Addresses label="to" addresses={recipients} />
          <Addresses label="cc" addresses={cc} />
          <EnvelopeLine message={message} />
          {tag !== undefined && <bdi class="tag">{visibleText(tag)}</bdi>}
        </div>
        <div class="message-times">
          <Time at={receivedAt} />
          <span class="expiry" title="Time until the message expires">
            <Icon name="clock" />
            <Countdown until={expiresAt} />
          </span>
        </div>
      </div>
    </header>
  );
}
