/** The texts of a mail in which criteria look for words. */
import { type Task, lengthOf } from '../mime/task.ts';
import { foldText } from '../text/characters.ts';
import { visibleText } from '../text/visible-text.ts';

/** Characters of HTML that criteria see. */
const MAX_HTML_UNITS = 1024 * 1024;

/** The text part and the visible text of the HTML, folded; each that the mail has. */
export const foldedTexts: Task<{ text: string | null; html: string | null }, string[]> = {
  name: 'foldedTexts',
  sizeOf: ({ text, html }) => lengthOf(text) + lengthOf(html),
  inlineSize: 16 * 1024,
  run: ({ text, html }) => [
    ...(text === null ? [] : [foldText(text)]),
    ...(html === null ? [] : [foldText(visibleText(html, MAX_HTML_UNITS))]),
  ],
};
