import { query } from '../../state/inbox.ts';
import { type RowField, markedParts, wordsFor } from './query-words.ts';

/** A text of a row with the words of the query marked. */
export function Marked({ text, field }: { text: string; field: RowField }) {
  const parts = markedParts(text, wordsFor(query.value, field));
  return <>{parts.map((part, n) => (n % 2 === 1 ? <mark key={n}>{part}</mark> : part))}</>;
}
