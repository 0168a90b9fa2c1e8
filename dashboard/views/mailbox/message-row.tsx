import { Avatar } from '../../components/avatar.tsx';
import { Icon } from '../../components/icon.tsx';
import { Time } from '../../components/time.tsx';
import { removeDisguise } from '../../format/visible-text.ts';
import type { Message } from '../../rest/shapes.ts';
import { ViewLink } from '../../routing/link.tsx';
import { query } from '../../state/inbox.ts';
import { isUnread } from '../../state/read-marks.ts';
import { isSelected, selectRange, toggleSelected } from '../../state/selection.ts';

export function MessageItem({
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
  const sender = removeDisguise(fromName ?? '') || from;
  const unread = isUnread(id);
  return (
    <li class={isSelected(id) ? 'is-selected' : ''}>
      <SelectBox message={message} />
      <ViewLink
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
              <Marked text={removeDisguise(subject) || '(no subject)'} field="subject" />
            </bdi>
            <span class="message-marks">
              {parseError !== undefined && (
                <span title="Only part of the message could be parsed">
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
                  <Marked text={removeDisguise(tag)} field="tag" />
                </bdi>
              )}
              {mailbox !== undefined && <bdi class="tag in-mailbox">{mailbox}</bdi>}
            </span>
          </span>
          <bdi class="message-preview">{removeDisguise(preview) || '(no text)'}</bdi>
        </span>
        <span class="unread-dot" aria-hidden="true" />
      </ViewLink>
    </li>
  );
}

/** Selects a message of the list. Shift selects a range. */
function SelectBox({ message }: { message: Message }) {
  const { id, subject } = message;
  return (
    <label class="select-box">
      <input
        type="checkbox"
        checked={isSelected(id)}
        aria-label={`Select ${removeDisguise(subject) || 'the message without subject'}`}
        onClick={(event) => {
          if (event.shiftKey) selectRange(id);
          else toggleSelected(id);
          // The state decides, also when it does not change.
          event.currentTarget.checked = isSelected(id);
        }}
      />
    </label>
  );
}

/** Selects instead of opening, for a click with Shift, Ctrl or Cmd. */
function selectByClick(event: MouseEvent, id: string): void {
  if (event.altKey) return;
  if (event.shiftKey) selectRange(id);
  else if (event.ctrlKey || event.metaKey) toggleSelected(id);
  else return;
  event.preventDefault();
}

/** A text of a row with the words of the query marked. */
function Marked({ text, field }: { text: string; field: RowField }) {
  const parts = markedParts(text, wordsFor(query.value, field));
  return <>{parts.map((part, n) => (n % 2 === 1 ? <mark key={n}>{part}</mark> : part))}</>;
}

/** Where a row shows a word. */
type RowField = 'from' | 'subject' | 'tag';

const TERM = /(-?)(?:([\w-]+):)?(?:"([^"]*)"|([^\s"]+))/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that are written without spaces: a word can start anywhere. */
const UNSPACED = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]/u;

/** The words of the query that are marked in this field. */
function wordsFor(query: string, field: RowField): string[] {
  const words: string[] = [];
  for (const [, minus, operator, quoted, bare] of query.matchAll(TERM)) {
    const isAbout = operator === undefined || operator.toLowerCase() === field;
    if (minus === '-' || !isAbout) continue;
    for (const word of (quoted ?? bare ?? '').match(WORD) ?? []) words.push(word);
  }
  return words;
}

/** The parts of a text, every second of which is marked. */
function markedParts(text: string, words: readonly string[]): string[] {
  if (words.length === 0) return [text];
  const starts = words.map((word) =>
    UNSPACED.test(word) ? word : `(?<![\\p{L}\\p{M}\\p{N}])${word}`,
  );
  return text.split(new RegExp(`(${starts.join('|')})`, 'giu'));
}
