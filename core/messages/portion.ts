/** A portion of the text of a message, or of an attachment, for a reader that gets little. */
import { decodeCharset } from '../mime/charsets.ts';
import { type Task, lengthOf } from '../mime/task.ts';
import { readableText } from '../text/preview.ts';
import { type Portion, portionOf } from '../text/shown-lines.ts';
import { shownText } from '../text/shown-text.ts';

export interface ShownPortion extends Portion {
  /** Characters of the whole text. */
  textCharacters: number;
  /** Characters that the HTML hides from its reader, which are left out. */
  hiddenCharacters: number;
}

interface BodyInput {
  text: string | null;
  html: string | null;
  offset: number;
}

export const bodyPortion: Task<BodyInput, ShownPortion> = {
  name: 'bodyPortion',
  sizeOf: ({ text, html }) => lengthOf(text) + lengthOf(html),
  inlineSize: 32 * 1024,
  run({ offset, ...mail }) {
    const html = mail.html === null ? null : shownText(mail.html);
    const text = readableText(mail, () => html?.text ?? '');
    const textCharacters = text.length;
    return {
      ...{ textCharacters, hiddenCharacters: html?.hiddenCharacters ?? 0 },
      ...portionOf(text, offset),
    };
  },
};

interface FileInput {
  bytes: Buffer;
  charset: string | null;
  isHtml: boolean;
  offset: number;
}

export const filePortion: Task<FileInput, ShownPortion & { truncated: boolean }> = {
  name: 'filePortion',
  sizeOf: ({ bytes }) => bytes.length,
  inlineSize: 32 * 1024,
  run({ bytes, charset, isHtml, offset }) {
    const content = decodeCharset(bytes, charset);
    const { text, hiddenCharacters, truncated } = isHtml
      ? shownText(content)
      : { text: content, hiddenCharacters: 0, truncated: false };
    const textCharacters = text.length;
    return { textCharacters, hiddenCharacters, truncated, ...portionOf(text, offset) };
  },
};

/** A text in UTF-8, of bytes in its character set. */
export const fileText: Task<Omit<FileInput, 'isHtml' | 'offset'>, Buffer> = {
  name: 'fileText',
  sizeOf: ({ bytes }) => bytes.length,
  inlineSize: 32 * 1024,
  run: ({ bytes, charset }) => Buffer.from(decodeCharset(bytes, charset)),
};
