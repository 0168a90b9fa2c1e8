import { useState } from 'preact/hooks';
import { Avatar } from '../../components/avatar.tsx';
import { IconButton, IconLink } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Countdown, Time } from '../../components/time.tsx';
import { absolute } from '../../format/times.ts';
import { removeDisguise } from '../../format/visible-text.ts';
import { rawPath } from '../../rest/paths.ts';
import type { Message, NamedAddress } from '../../rest/shapes.ts';
import { mayChange } from '../../state/session.ts';
import { ShareButton } from '../share.tsx';

const SHOWN_ADDRESSES = 3;
const FAR_MS = 600_000;

/** Sender, recipients, dates and remaining time. */
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
  const { id, subject, from, fromName, tag, date, receivedAt, expiresAt } = message;
  const { to, cc, bcc, replyTo } = headerAddresses(message);
  const sender = removeDisguise(fromName ?? '');
  return (
    <header class="message-head">
      <div class="message-title">
        <IconLink icon="back" href={list} label="Back to the list" class="only-narrow" />
        <h1 class="subject">
          <bdi>{removeDisguise(subject) || '(no subject)'}</bdi>
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
            <bdi class="sender-address">{removeDisguise(from)}</bdi>
          </p>
          {message.sender && <Addresses label="sender" addresses={[message.sender]} />}
          <Addresses label="to" addresses={to} />
          <Addresses label="cc" addresses={cc} />
          <Addresses label="bcc" addresses={bcc} />
          <Addresses label="reply to" addresses={replyTo} />
          <EnvelopeLine message={message} />
          {tag !== undefined && <bdi class="tag">{removeDisguise(tag)}</bdi>}
        </div>
        <div class="message-times">
          <Time at={receivedAt} />
          {date !== null && isFar(date, receivedAt) && (
            <span title="The Date field of the mail">Date: {absolute(Date.parse(date))}</span>
          )}
          <span class="expiry" title="Time until the message expires">
            <Icon name="clock" />
            <Countdown until={expiresAt} />
          </span>
        </div>
      </div>
    </header>
  );
}

/** The addresses of the header with their names, if names are stored. */
function headerAddresses({ recipients, to, cc }: Message) {
  const unnamed = (addresses: string[]) => addresses.map((address) => ({ address, name: null }));
  const named = recipients ?? { to: [], cc: unnamed(cc), bcc: [], replyTo: [] };
  return { ...named, to: named.to.length > 0 ? named.to : unnamed(to) };
}

/** Whether a reader would wonder about the difference. */
function isFar(date: string, receivedAt: string): boolean {
  return Math.abs(Date.parse(date) - Date.parse(receivedAt)) > FAR_MS;
}

/** A line of addresses. A long list is collapsed until expanded. */
function Addresses({ label, addresses }: { label: string; addresses: NamedAddress[] }) {
  const [showsAll, setShowsAll] = useState(false);
  if (addresses.length === 0) return null;
  const shown = showsAll ? addresses : addresses.slice(0, SHOWN_ADDRESSES);
  const more = addresses.length - shown.length;
  return (
    <p class="recipients">
      <span class="recipients-label">{label}</span>{' '}
      {shown.map(({ address, name }, index) => (
        <span key={index}>
          {name !== null && <bdi class="address-name">{removeDisguise(name)}</bdi>}{' '}
          <bdi>{removeDisguise(address)}</bdi>
          {index < shown.length - 1 && ', '}
        </span>
      ))}
      {more > 0 && (
        <button
          type="button"
          class="text-button"
          onClick={() => {
            setShowsAll(true);
          }}
        >
          and {more} more
        </button>
      )}
    </p>
  );
}

/**
 * The envelope, if it differs from the header. Recipients that the header does not name are marked
 * as Bcc.
 */
function EnvelopeLine({ message: { envelope, from, to, cc } }: { message: Message }) {
  const named = new Set([...to, ...cc].map((address) => address.toLowerCase()));
  const recipients = envelope.to.map((address) => ({
    address,
    isHidden: !named.has(address.toLowerCase()),
  }));
  const isSame = envelope.from === from && !recipients.some(({ isHidden }) => isHidden);
  if (isSame) return null;
  return (
    <p class="recipients envelope" aria-label="Envelope">
      <span class="recipients-label">envelope</span>{' '}
      <bdi>{removeDisguise(envelope.from) || '<>'}</bdi>
      {' → '}
      {recipients.map(({ address, isHidden }, index) => (
        <span key={index}>
          <bdi>{removeDisguise(address)}</bdi>
          {isHidden && <span class="pill bcc">Bcc</span>}
          {index < recipients.length - 1 && ', '}
        </span>
      ))}
    </p>
  );
}
