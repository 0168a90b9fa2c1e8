import { bytes } from '../../format/bytes.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Icon } from '../../components/icon.tsx';
import { attachmentPath } from '../../rest/paths.ts';
import type { Attachment, Message } from '../../rest/shapes.ts';

/** Download links. The server sends attachments so that the browser never opens them inline. */
export function AttachmentList({ name, message }: { name: string; message: Message }) {
  const { id, attachments } = message;
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments" aria-label="Attachments">
      {attachments.map((attachment) => (
        <li key={attachment.id}>
          <a href={attachmentPath(name, id, attachment.id)} download class="attachment">
            <Icon name={attachment.contentType.startsWith('image/') ? 'picture' : 'file'} />
            <FileName attachment={attachment} />
            <span class="attachment-size">{bytes(attachment.size)}</span>
            <Icon name="download" />
          </a>
        </li>
      ))}
    </ul>
  );
}

function FileName({ attachment: { filename, contentType } }: { attachment: Attachment }) {
  const shown = visibleText(filename) || 'unnamed';
  return (
    <bdi class="attachment-name" title={`${shown} (${visibleText(contentType)})`}>
      {shown}
    </bdi>
  );
}
