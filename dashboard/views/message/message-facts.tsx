import { useState } from 'preact/hooks';
import { Skeleton } from '../../components/placeholders.tsx';
import { Pill } from '../../components/pill.tsx';
import { removeDisguise } from '../../format/visible-text.ts';
import { absolute } from '../../format/times.ts';
import { listMessages } from '../../rest/messages.ts';
import type { Message } from '../../rest/shapes.ts';
import { ViewLink } from '../../routing/link.tsx';
import { to } from '../../routing/routes.ts';
import { useLoaded } from '../../state/requests.ts';

type Report = NonNullable<Message['report']>;
type Event = NonNullable<Message['event']>;

const KINDS: Record<Report['kind'], string> = {
  bounce: 'Delivery report',
  receipt: 'Receipt',
  feedback: 'Complaint',
};

/**
 * What the header and the parts say beside sender and text: report, event, list and thread. Nothing
 * for mail without any.
 */
export function MessageFacts({ name, message }: { name: string; message: Message }) {
  const { report, event, autoSubmitted, listId, threadId } = message;
  const isAutomatic = autoSubmitted !== null || listId !== null;
  if (!report && !event && !isAutomatic && threadId === null) return null;
  return (
    <section class="message-facts" aria-label="Facts">
      {report && <ReportLines report={report} />}
      {event && <EventLine event={event} />}
      {isAutomatic && (
        <p>
          {autoSubmitted !== null && <Pill tone="plain">{removeDisguise(autoSubmitted)}</Pill>}{' '}
          {listId !== null && <Pill tone="plain">List {removeDisguise(listId)}</Pill>}
        </p>
      )}
      {threadId !== null && (
        <Thread key={message.id} name={name} id={message.id} thread={threadId} />
      )}
    </section>
  );
}

function ReportLines({ report: { kind, recipients } }: { report: Report }) {
  return (
    <div>
      <strong>{KINDS[kind]}</strong>
      <ul>
        {recipients.map(({ address, action, status, diagnostic }, index) => (
          <li key={index}>
            <bdi>
              {[address, action, status]
                .flatMap((text) => text ?? [])
                .map(removeDisguise)
                .join(' · ')}
            </bdi>
            {diagnostic !== null && <span class="faint"> {removeDisguise(diagnostic)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function EventLine({ event: { method, summary, start, end, organizer } }: { event: Event }) {
  const times = [start, end].flatMap((time) => (time === null ? [] : shownTime(time)));
  return (
    <p>
      <strong>{removeDisguise(summary ?? '') || '(event without title)'}</strong>
      {times.length > 0 && <span> {times.join(' – ')}</span>}
      {organizer && (
        <bdi class="faint"> {removeDisguise(organizer.name ?? organizer.address)}</bdi>
      )}{' '}
      {method !== null && <Pill tone="plain">{removeDisguise(method)}</Pill>}
    </p>
  );
}

/** A time in UTC in the time zone of the reader. Dates and times without offset stay. */
function shownTime(time: string): string {
  return time.endsWith('Z') ? absolute(Date.parse(time)) : time.replace('T', ' ');
}

/** The other messages of the thread, loaded when they are asked for. */
function Thread({ name, id, thread }: { name: string; id: string; thread: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>thread</summary>
      {isOpen && <ThreadList name={name} id={id} thread={thread} />}
    </details>
  );
}

function ThreadList({ name, id, thread }: { name: string; id: string; thread: string }) {
  const { value, error } = useLoaded(thread, () =>
    listMessages({ name, to: null, query: `thread:${thread}` }),
  );
  if (error) return <p>The messages could not be loaded: {error.message}</p>;
  if (!value) return <Skeleton lines={1} />;
  const others = value.messages.filter((message) => message.id !== id);
  if (others.length === 0) return <p>No other message of this mailbox is in the thread.</p>;
  return (
    <ul>
      {others.map((message) => (
        <li key={message.id}>
          <ViewLink href={to.message(name, message.id)}>
            {removeDisguise(message.subject) || '(no subject)'}
          </ViewLink>{' '}
          <bdi class="faint">{removeDisguise(message.fromName ?? message.from)}</bdi>
        </li>
      ))}
    </ul>
  );
}
