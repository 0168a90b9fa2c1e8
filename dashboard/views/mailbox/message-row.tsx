import { Avatar } from '../../components/avatar.tsx';
import { Icon } from '../../components/icon.tsx';
import { Time } from '../../components/time.tsx';
import { visibleText } from '../../format/visible-text.ts';
import type { Message } from '../../rest/shapes.ts';
import { Link } from '../../routing/link.tsx';
import { Marked } from './marked.tsx';
import { isUnread } from '../../state/read-marks.ts';
import { isSelected } from '../../state/selection.ts';
import { SelectBox, selectByClick } from './select-box.tsx';

export function MessageRow({
  href,
  message,
  isOpen,
  isNew,
}: {
  href: string;
  message: Message;
  isOpen: boolean;
  isNew: boolean;
}) {
  const {
    id,
    from,
    fromName,
    subject,
    preview,
    tag,
    attachments,
    receivedAt,
    parseError,
    mailbox,
  } = message;
  const sender = visibleText(fromName ?? '') || from;
  const unread = isUnread(id);
  return (
    <li class={isSelected(id) ? 'is-selected' : ''}>
      <SelectBox message={message} />
      <Link
        href={href}
        class={`message-row ${unread ? 'is-unread' : ''} ${isNew ? 'is-new' : ''}`}
        aria-current={isOpen ? 'true' : undefined}
        data-id={id}
        onClick={(event) => {
          selectByClick(event, id);
        }}
      >
        <Avatar name={sender} address={from} />
        <span class="message-row-text">
          <span class="message-row-line">
            <span class="message-from">
              {unread && <span class="visually-hidden">Unread: </span>}
              <bdi>
                <Marked text={sender} field="from" />
              </bdi>
            </span>
            <Time at={receivedAt} />
          </span>
          <span class="message-row-line">
            <bdi class="message-subject">
              <Marked text={visibleText(subject) || '(no subject)'} field="subject" />
            </bdi>
            <span class="message-marks">
              {parseError !== undefined && (
                <span title="Only part of the mail could be parsed">
                  <Icon name="alert" />
                  <span class="visually-hidden">parsed in part</span>
                </span>
              )}
              {attachments.length > 0 && (
                <span title={`${attachments.length} attached`}>
                  <Icon name="paperclip" />
                  <span class="visually-hidden">{attachments.length} attached</span>
                </span>
              )}
              {tag !== undefined && (
                <bdi class="tag">
                  <Marked text={visibleText(tag)} field="tag" />
                </bdi>
              )}
              {mailbox !== undefined && <bdi class="tag in-mailbox">{mailbox}</bdi>}
            </span>
          </span>
          <bdi class="message-preview">{visibleText(preview) || '(no text)'}</bdi>
        </span>
        <span class="unread-dot" aria-hidden="true" />
      </Link>
    </li>
  );
}
