import type { Message } from '../../rest/shapes.ts';
import { DerivedText } from './derived-text.tsx';
import { PlainText } from './plain-text.tsx';

/** The text part; for a mail without one, the visible text of its HTML. */
export function TextBody({ name, message }: { name: string; message: Message }) {
  const { id, text = '', html } = message;
  if (text.trim() !== '') return <PlainText text={text} />;
  if (html !== undefined) return <DerivedText name={name} id={id} />;
  return <p class="hint">This mail is empty.</p>;
}
