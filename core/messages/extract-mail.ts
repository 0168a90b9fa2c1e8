/** The extraction of a stored mail. */
import { extract } from '../extraction/extract.ts';
import type { Extraction } from '../extraction/types.ts';
import { type Task, lengthOf } from '../mime/task.ts';
import { valuesOf } from './read-header.ts';

export interface StoredContent {
  subject: string;
  text: string | null;
  html: string | null;
  from: string;
  /** The start of the raw mail. */
  head: Buffer;
}

/** Characters of each part that extraction reads, and one that tells of more. */
export const EXTRACTED_FROM = 1024 * 1024 + 1;

export const extractMail: Task<StoredContent, Extraction> = {
  name: 'extractMail',
  sizeOf: ({ text, html, head, subject }) =>
    subject.length + lengthOf(text) + lengthOf(html) + head.length,
  inlineSize: 8 * 1024,
  run({ head, ...mail }) {
    const [listUnsubscribe = null, listUnsubscribePost = null] = valuesOf(head, [
      'list-unsubscribe',
      'list-unsubscribe-post',
    ]);
    return extract({ ...mail, listUnsubscribe, listUnsubscribePost });
  },
};
