/** The tasks that child processes run. */
import { foldedBodies, foundInBodies } from './matching/body.ts';
import { bodyText, htmlPage, linkedBodyText } from './messages/body.ts';
import { diffJson } from './messages/diff/compare.ts';
import { shownPictures } from './messages/embed-images.ts';
import { extractMail } from './messages/extract-mail.ts';
import { mailhogJson } from './messages/views/mailhog-message.ts';
import { bodyPortion, filePortion, fileText } from './messages/portion.ts';
import { firstValues, headersJson } from './messages/read-header.ts';
import { jsonBytes } from './mime/json-bytes.ts';
import { partTreeJson } from './mime/part-tree.ts';
import type { AnyTask } from './mime/task.ts';
import { indexedWords } from './search/index-words.ts';
import { composedMail } from './sending/compose-mail.ts';
import { quotedBody } from './sending/quote.ts';

export const TASKS: readonly AnyTask[] = [
  ...[bodyPortion, bodyText, diffJson, extractMail, filePortion, fileText, foundInBodies],
  ...[
    firstValues,
    foldedBodies,
    headersJson,
    htmlPage,
    jsonBytes,
    linkedBodyText,
    mailhogJson,
    partTreeJson,
  ],
  ...[composedMail, indexedWords, quotedBody, shownPictures],
];
