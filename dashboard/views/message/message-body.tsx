import { useId, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { Failure, Skeleton } from '../../components/placeholders.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { bytes } from '../../format/bytes.ts';
import { removeDisguise } from '../../format/visible-text.ts';
import { getText } from '../../rest/messages.ts';
import { attachmentPath } from '../../rest/paths.ts';
import type { Attachment, Message } from '../../rest/shapes.ts';
import { useLoaded } from '../../state/requests.ts';
import { FrameTools, MailFrame } from './mail-frame.tsx';
import { MessageDeliveries } from './message-deliveries.tsx';
import { PartTree } from './part-tree.tsx';
import { HeaderTable, RawSourceView } from './raw-source.tsx';

type View = 'html' | 'text' | 'headers' | 'parts' | 'source' | 'webhooks';

/** The message as HTML, text, header fields, MIME parts or source, and its webhook deliveries. */
export function MessageBody({ name, message }: { name: string; message: Message }) {
  const hasHtml = message.html !== undefined;
  const [view, setView] = useState<View>(hasHtml ? 'html' : 'text');
  const panel = useId();
  return (
    <>
      {message.parseError !== undefined && (
        <p class="parse-error" role="note">
          <Icon name="alert" />
          <span>
            Only part of this message could be parsed: {message.parseError}. The source is stored
            unchanged.
          </span>
        </p>
      )}
      <AttachmentList name={name} message={message} />
      <div class="view-bar">
        <Tabs<View>
          label="Message views"
          panel={panel}
          current={view}
          onChange={setView}
          tabs={[
            { name: 'html', label: 'HTML', disabled: !hasHtml },
            { name: 'text', label: 'Text' },
            { name: 'headers', label: 'Headers' },
            { name: 'parts', label: 'Parts' },
            { name: 'source', label: 'Source' },
            { name: 'webhooks', label: 'Webhooks' },
          ]}
        />
        {view === 'html' && <FrameTools html={message.html ?? ''} />}
      </div>
      <div id={panel} role="tabpanel" aria-label={view} class={`view view-${view}`}>
        {view === 'html' && <MailFrame name={name} id={message.id} html={message.html ?? ''} />}
        {view === 'text' && <TextBody name={name} message={message} />}
        {view === 'headers' && <HeaderTable name={name} id={message.id} />}
        {view === 'parts' && <PartTree name={name} id={message.id} />}
        {view === 'source' && <RawSourceView name={name} id={message.id} size={message.size} />}
        {view === 'webhooks' && <MessageDeliveries name={name} id={message.id} />}
      </div>
    </>
  );
}

/** Download links. The server sends attachments so that the browser never opens them inline. */
function AttachmentList({ name, message }: { name: string; message: Message }) {
  const { id, attachments } = message;
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments" aria-label="Attachments">
      {attachments.map((attachment) => (
        <li key={attachment.id}>
          <a href={attachmentPath(name, id, attachment.id)} download class="attachment">
            <Icon name={attachment.contentType.startsWith('image/') ? 'picture' : 'file'} />
            <FileName attachment={attachment} />
            {attachment.isInline === true && <span class="attachment-size">inline</span>}
            <span class="attachment-size">{bytes(attachment.size)}</span>
            <Icon name="download" />
          </a>
        </li>
      ))}
    </ul>
  );
}

function FileName({ attachment }: { attachment: Attachment }) {
  const { filename, contentType, description, sha256 } = attachment;
  const shown = removeDisguise(filename) || 'unnamed';
  const title = [
    `${shown} (${removeDisguise(contentType)})`,
    removeDisguise(description ?? ''),
    typeof sha256 === 'string' ? `SHA-256 ${sha256}` : '',
  ];
  return (
    <bdi class="attachment-name" title={title.filter((line) => line !== '').join('\n')}>
      {shown}
    </bdi>
  );
}

/** The text part; for a mail without one, the visible text of its HTML. */
function TextBody({ name, message }: { name: string; message: Message }) {
  const { id, text = '', html } = message;
  if (text.trim() !== '') return <PlainText text={text} />;
  if (html !== undefined) return <DerivedText name={name} id={id} />;
  return <p class="hint">This message is empty.</p>;
}

/** The visible text of the HTML of a mail whose text part is missing or blank. */
function DerivedText({ name, id }: { name: string; id: string }) {
  const { value: text, error, reload } = useLoaded(id, (signal) => getText(name, id, signal));
  if (error) {
    return <Failure title="The text could not be loaded" error={error} onRetry={reload} />;
  }
  if (text === null) return <Skeleton lines={8} />;
  if (text.trim() === '') {
    return (
      <p class="hint">
        The text part of this message is missing or blank, and its HTML shows no text.
      </p>
    );
  }
  return (
    <>
      <p class="hint text-origin" role="note">
        The text part of this message is missing or blank. The text is derived from the HTML.
      </p>
      <PlainText text={text} />
    </>
  );
}

const LINK = /(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}])/g;

/** Plain text, with web addresses as links. */
function PlainText({ text }: { text: string }) {
  return (
    <pre class="text-body" tabIndex={0} aria-label="Text of the message">
      {text.split(LINK).map((part, index) =>
        index % 2 === 1 ? (
          <a key={index} href={part} target="_blank" rel="noopener noreferrer">
            {part}
          </a>
        ) : (
          part
        ),
      )}
    </pre>
  );
}
