/** The text of a mail for people and programs that do not read HTML. */
import { joinSpaces } from './characters.ts';

const PRINTABLE_ASCII = /[!-~]/;

/**
 * The text part as it was sent. Of a mail whose text part is missing or blank (whitespace and
 * invisible characters only), the text of its HTML by `ofHtml`. Empty for a mail without text.
 */
export function readableText<Text>(
  { text, html }: { text: string | null; html: string | null },
  ofHtml: (html: string) => Text,
): Text | string {
  return html === null || (text !== null && !isBlank(text)) ? (text ?? '') : ofHtml(html);
}

function isBlank(text: string): boolean {
  return !PRINTABLE_ASCII.test(text) && joinSpaces(text) === '';
}
