/** What mail clients write around a quoted mail, in the languages of words.json. */
import words from './words.json' with { type: 'json' };

/** The fields that mail clients list above a quoted mail. */
export type HeaderKind = 'from' | 'date' | 'to' | 'cc' | 'subject';

const KINDS: readonly HeaderKind[] = ['from', 'date', 'to', 'cc', 'subject'];
const kindsByLabel = new Map<string, HeaderKind[]>();
for (const kind of KINDS) {
  for (const label of words[kind]) {
    kindsByLabel.set(label, [...(kindsByLabel.get(label) ?? []), kind]);
  }
}

/** The fields that a label in lower case can name; some words mean two of them. */
export function kindsOf(label: string): readonly HeaderKind[] {
  return kindsByLabel.get(label) ?? [];
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const anyOf = (list: readonly string[]) =>
  list
    .toSorted((a, b) => b.length - a.length)
    .map(escape)
    .join('|');

/** "wrote" as a word of its own, or within a script without spaces. */
export const WROTE = new RegExp(
  `(?<!\\p{L})(?:${anyOf(words.wrote)})(?![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}])|写道|寫道|書きました|작성`,
  'iu',
);
export const ENDS_WITH_VERB = new RegExp(`(?<!\\p{L})(?:${anyOf(words.wrote)})$`, 'iu');
/** A line that says that a quoted or forwarded mail follows. */
export const ORIGINAL = new RegExp(
  `^[-_=*#>\\s]*(?:${anyOf(words.original)})[-_=*#<:：\\s]*$`,
  'iu',
);
const DEVICE = new RegExp(anyOf(words.device), 'iu');
const SENT_BEFORE = new RegExp(`^[\\[(*_–—-]*\\s*(?:${anyOf(words.sentBefore)})`, 'iu');
const SENT_AFTER = new RegExp(`(?:${anyOf(words.sentAfter)})[\\])*_.!。]*$`, 'iu');

/** Whether a program or a device says in this line that it has sent the mail. */
export function isSentFrom(line: string): boolean {
  if (/[,;、，]/.test(line)) return false;
  return SENT_BEFORE.test(line) || (SENT_AFTER.test(line) && DEVICE.test(line));
}
