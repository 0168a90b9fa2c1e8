/** Suggestions for the operators of a query, and for values of some. */
import { mailboxes } from '../../state/mailboxes.ts';

export interface Suggestion {
  /** Replaces the last term of the query. */
  text: string;
  hint: string;
}

const SHOWN = 7;
const OPERATORS: Suggestion[] = [
  { text: 'from:', hint: 'address, @domain or name' },
  { text: 'to:', hint: 'recipient, @domain or name' },
  { text: 'subject:', hint: 'words in the subject' },
  { text: 'has:attachment', hint: 'with attachments' },
  { text: 'after:', hint: '2h, 3d or 2026-01-31' },
  { text: 'before:', hint: '2h, 3d or 2026-01-31' },
  { text: 'filename:', hint: 'name of an attachment' },
  { text: 'text:', hint: 'words in the body' },
  { text: 'tag:', hint: 'the whole tag' },
  { text: 'mailbox:', hint: 'name of a mailbox' },
  { text: 'label:', hint: 'key:value of the mailbox' },
  { text: 'header:', hint: '"X-Team: blue"' },
  { text: 'message-id:', hint: 'Message-ID header' },
  { text: 'cc:', hint: 'address, @domain or name' },
  { text: 'larger:', hint: '500k or 2m' },
  { text: 'smaller:', hint: '500k or 2m' },
  { text: 'has:html', hint: 'with an HTML part' },
  { text: 'is:claimed', hint: 'claimed by a client' },
  { text: 'is:caught', hint: 'caught by a credential' },
];
const WITHIN_MAILBOX = new Set(['mailbox:', 'label:']);
const LAST_TERM = /(?:^|\s)-?([^\s"]*)$/;

/** @param isAll whether the messages of all mailboxes are searched */
export function suggestionsFor(query: string, isAll: boolean): Suggestion[] {
  const [, typed] = LAST_TERM.exec(query) ?? [];
  if (typed === undefined) return [];
  const wanted = typed.toLowerCase();
  const choices = [...OPERATORS, ...(isAll && wanted.startsWith('mailbox:') ? ofMailboxes() : [])];
  return choices
    .filter(({ text }) => text.startsWith(wanted) && text !== wanted)
    .filter(({ text }) => isAll || !WITHIN_MAILBOX.has(text))
    .slice(0, SHOWN);
}

/** The query with its last term replaced. A complete value ends with a space. */
export function completed(query: string, { text }: Suggestion): string {
  const [, typed = ''] = LAST_TERM.exec(query) ?? [];
  const rest = query.slice(0, query.length - typed.length);
  return `${rest}${text}${text.endsWith(':') ? '' : ' '}`;
}

function ofMailboxes(): Suggestion[] {
  return (mailboxes.value ?? []).map(({ name }) => ({ text: `mailbox:${name}`, hint: '' }));
}
