/** Words in the bodies of a mail. */
import { type Task, lengthOf } from '../mime/task.ts';
import { visibleText } from '../text/visible-text.ts';
import { TextField } from './document.ts';
import type { QueryWord } from './words.ts';

/** Characters of a body that conditions see. */
export const MAX_BODY_UNITS = 1024 * 1024;

interface Bodies {
  text: string | null;
  html: string | null;
}

/** For each list of words, whether a body has them in a row. */
export const findWords: Task<Bodies & { asked: QueryWord[][] }, boolean[]> = {
  name: 'findWords',
  sizeOf: ({ text, html }) => lengthOf(text) + lengthOf(html),
  inlineSize: 16 * 1024,
  run({ text, html, asked }) {
    const fields = textsOf({ text, html });
    return asked.map((words) => fields.some((field) => field.has(words)));
  },
};

/** The bodies as far as conditions see them. */
export function bodyTexts({ text, html }: Bodies): Bodies {
  return {
    text: text?.slice(0, MAX_BODY_UNITS) ?? null,
    html: html?.slice(0, MAX_BODY_UNITS) ?? null,
  };
}

/** The texts of a mail that words are looked for in. */
export function textsOf({ text, html }: { text: string | null; html: string | null }): TextField[] {
  return [
    ...(text === null ? [] : [new TextField(() => text.slice(0, MAX_BODY_UNITS))]),
    ...(html === null ? [] : [new TextField(() => visibleText(html, MAX_BODY_UNITS))]),
  ];
}
