/** Real mail for searches, each with what a search should see of it, and queries of its words. */
import fc from 'fast-check';
import { newId } from '../../core/ids.ts';
import { headerFields } from '../../core/messages/read-header.ts';
import { parseMail } from '../../core/mime/parse-mail.ts';
import { TextField } from '../../core/search/document.ts';
import { MAX_BODY_UNITS, textsOf } from '../../core/search/find-words.ts';
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
        ...{ id, tag: null, receivedAt, size, messageId: messageIdHeader, subject, cc },
        ...{ replyTo, threadId, listId, date: date === null ? null : new Date(date) },
        ...{ from: sender, to: [recipient, ...to, ...cc], header: headerFields(raw) },
        ...{ hasAttachment: attachments.length > 0, isCaught: false, isClaimed: false },
        filenames: attachments.map(({ filename }, at) => filename ?? `attachment-${at + 1}`),
        ...{ texts: textsOf({ text, html }), hasHtml: html !== null },
      },
    ],
  };
}

/** Queries about words, phrases, people and files of these mails. */
export function queriesOfMails(seed: number, mails: readonly CorpusMail[]): fc.Arbitrary<string> {
  const visible = mails.flatMap((mail) => mail.visible);
  const rows = visible.map(({ subject, texts }) =>
    wordsIn(
      [
        subject,
        ...texts.map((each) =>
          (each instanceof TextField ? each.text : '').slice(0, MAX_BODY_UNITS),
        ),
      ].join(' '),
    ),
  );
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
    people: orNone(visible.flatMap(({ from, to }) => [from.address, ...to])),
    files: orNone(visible.flatMap(({ filenames }) => filenames)),
    messageIds: orNone(visible.flatMap(({ messageId }) => messageId ?? [])),
    headers: ['X-Mailer', 'List-Id', 'Received', 'Subject'],
    kilobytes: 20,
  });
}

function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}
