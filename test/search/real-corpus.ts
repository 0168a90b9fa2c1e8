/** Real mail for searches, each with what a search should see of it, and queries of its words. */
import fc from 'fast-check';
import { newId } from '../../core/ids.ts';
import { headerFields } from '../../core/messages/read-header.ts';
import { parseMail } from '../../core/mime/parse-mail.ts';
import { recipientsOf } from '../../core/matching/document.ts';
import { bodyTexts, shownTexts } from '../../core/matching/body.ts';
import { documentFor } from '../support/context/document-for.ts';
import { readMails } from '../corpus/mails.ts';
import { type CorpusMail, MAILBOXES } from './corpus.ts';
import { queriesAbout } from './queries.ts';

const SPAN_MS = 20 * 3_600_000;
/** Entries of each kind that queries ask for. */
const ASKED = 400;

/** @param most mails, which arrive in the 20 hours before `now` (ms since 1970) */
export async function readCorpus(folder: string, most: number, now: number): Promise<CorpusMail[]> {
  const mails = await readMails(folder, most);
  return Promise.all(
    mails.map(({ bytes }, n) => makeMail(bytes, n, now - SPAN_MS + (n * SPAN_MS) / mails.length)),
  );
}

async function makeMail(raw: Buffer, n: number, time: number): Promise<CorpusMail> {
  const { from, attachments, text, html, messageIdHeader, ...parsed } = await parseMail(raw);
  const { subject, to, cc, parseError } = parsed;
  const { date, sender: agent, inReplyTo, replyTo, autoSubmitted, listId } = parsed.facts;
  const threadId = inReplyTo && `thr_${inReplyTo.length}`;
  const facts = { date, sender: agent, inReplyTo, threadId, replyTo, autoSubmitted, listId };
  const receivedAt = new Date(Math.floor(time));
  const [mailId, id] = [newId('mail', time), newId('message', time)];
  const mailbox = n % MAILBOXES.length;
  const recipient = `${MAILBOXES[mailbox]?.name ?? ''}@one.test`;
  const sender = { address: from?.address ?? '', name: from?.name ?? null };
  const size = raw.length;
  const bodyBytes = Buffer.byteLength(`${text ?? ''}${html ?? ''}`);
  return {
    rows: {
      mail: {
        ...{ id: mailId, ingestId: newId('ingest', time), size, raw, text, html, subject, to, cc },
        ...{ fromAddress: sender.address, fromName: sender.name, messageIdHeader, parseError },
        attachmentCount: attachments.length,
      },
      attachments: attachments.map(({ filename, contentType, content }, position) => ({
        ...{ id: newId('attachment'), mailId, position, filename, contentType },
        ...{ size: content.length, content },
      })),
      conditions: null,
    },
    messages: [
      {
        mailbox,
        message: {
          ...{ id, mailId, mailboxId: '', recipient, tag: null, receivedAt, bodyBytes },
          envelopeTo: null,
          facts,
        },
      },
    ],
    visible: [
      {
        ...documentFor(
          { id, recipient, receivedAt, facts: { ...facts, tags: [] } },
          {
            ...{ subject, to, cc, size, messageIdHeader, attachmentCount: attachments.length },
            ...{ fromAddress: sender.address, fromName: sender.name },
          },
          shownTexts(bodyTexts({ text, html })),
        ),
        ...{ header: headerFields(raw), hasHtml: html !== null },
        filenames: attachments.map(({ filename }, at) => filename ?? `attachment-${at + 1}`),
      },
    ],
  };
}

/** Queries about words, phrases, people and files of these mails. */
export function queriesOfMails(seed: number, mails: readonly CorpusMail[]): fc.Arbitrary<string> {
  const visible = mails.flatMap((mail) => mail.visible);
  const rows = mails.map(({ rows: { mail } }) => {
    const texts = shownTexts(bodyTexts({ text: mail.text ?? null, html: mail.html ?? null }));
    return wordsIn([mail.subject, ...texts].join(' '));
  });
  const phrases = rows.flatMap((words, n) => {
    const at = (n * 7) % Math.max(1, words.length - 3);
    return words.length > 3 ? [words.slice(at, at + 3).join(' ')] : [];
  });
  const some = (values: readonly string[]) => {
    const unique = [...new Set(values)].filter((value) => value !== '');
    const length = Math.min(ASKED, unique.length);
    const chosen = fc.shuffledSubarray(unique, { minLength: length, maxLength: length });
    return fc.sample(chosen, { seed, numRuns: 1 })[0] ?? [];
  };
  const orNone = (values: readonly string[]) => {
    const found = some(values);
    return found.length > 0 ? found : ['none'];
  };
  return queriesAbout({
    words: orNone(rows.flat()),
    phrases: some(phrases),
    people: orNone(visible.flatMap((one) => [one.mail.fromAddress, ...recipientsOf(one)])),
    files: orNone(visible.flatMap(({ filenames = [] }) => filenames)),
    messageIds: orNone(visible.flatMap(({ mail }) => mail.messageIdHeader ?? [])),
    headers: ['X-Mailer', 'List-Id', 'Received', 'Subject'],
    kilobytes: 20,
  });
}

function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}
