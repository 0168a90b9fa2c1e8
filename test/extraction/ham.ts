/** Real mails without a code: the ham of SpamAssassin. */
import { join } from 'node:path';
import { parseMail } from '../../core/mime/parse-mail.ts';
import { readMails } from '../corpus/mails.ts';
import type { Sample } from './sample.ts';

const FOLDERS = ['easy-ham-1', 'easy-ham-2', 'hard-ham-1'];

export async function hamSamples(folder: string): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const name of FOLDERS) {
    for (const { name: file, bytes } of await readMails(join(folder, 'data', name), 10_000)) {
      const { subject, text, html, from } = await parseMail(bytes);
      samples.push({
        ...{ project: 'ham', language: name, layout: file, subject, text, html },
        ...{ from: from?.address ?? '', code: null, link: null, asks: 'nothing' },
      });
    }
  }
  return samples;
}
