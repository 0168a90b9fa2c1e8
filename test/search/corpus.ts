/** Generated mail for searches, each with what a search should see of it. */
import fc from 'fast-check';
import { newId } from '../../core/ids.ts';
import type { Document } from '../../core/matching/document.ts';
import type { MailRows } from '../../db/statements/mails.ts';
import { documentFor } from '../support/context/document-for.ts';

interface CorpusMailbox {
  name: string;
  labels: Record<string, string>;
}

export interface CorpusMail {
  rows: Omit<MailRows, 'messages'>;
  messages: { message: MailRows['messages'][number]; mailbox: number }[];
  /** One for each message. */
  visible: Document[];
}

export const MAILBOXES: CorpusMailbox[] = [
  { name: 'red', labels: { run: 'gh:1', team: 'blue' } },
  { name: 'blue', labels: { run: 'gh:2' } },
  { name: 'green.one', labels: {} },
  { name: 'box-4', labels: { team: 'blue' } },
];

export const WORDS = (
  'order orders ordered Code CODE café cafe résumé straße STRASSE a ab abc 482913 4711 12 30 id ' +
  'example.com confirm confirmed e-mail 東京 東京都 京都 確認コード メール 한국어 сообщение ΟΔΟΣ οδος ﬁne 🎉 ' +
  `รหัส it's x_y_z ${'long'.repeat(12)} ${'long'.repeat(9)}x receipt invoice the The THE of and`
).split(' ');
const SEPARATORS = [' ', ' ', ' ', ' ', ', ', '-', '\n', '_', '. ', '/'];
export const PEOPLE = [
  'anna@shop.example',
  'Anna.Other@shop.example',
  'malice@shop.example',
  'bob@mail.shop.example',
  'bob+tag@client.test',
  'ärger@bücher.example',
  'no-reply@x.co',
];
export const FILES = ['invoice-2026.pdf', 'Rechnung_März.PDF', 'a.b.c', 'photo 1.jpg'];
export const TAGS = ['build42', 'Build-7', 'qa'];
const NAMES = ['Anna Ångström', 'Example Shop', 'bob', 'BOB the Builder'];

const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const text = (maxLength: number) =>
  fc
    .array(fc.tuple(pick(WORDS), pick(SEPARATORS)), { maxLength })
    .map((parts) => parts.flat().join(''));

const shape = fc.record({
  subject: text(5),
  text: maybe(text(25)),
  html: maybe(fc.record({ visible: text(25), hidden: text(3) })),
  fromAddress: pick(PEOPLE),
  fromName: maybe(pick(NAMES)),
  to: fc.uniqueArray(pick(PEOPLE), { maxLength: 3 }),
  cc: fc.uniqueArray(pick(PEOPLE), { maxLength: 1 }),
  files: fc.uniqueArray(pick(FILES), { maxLength: 1 }),
  team: maybe(text(2)),
  size: fc.nat({ max: 3_000_000 }),
  messageId: maybe(fc.nat({ max: 50 }).map((n) => `<id-${n}@x.example>`)),
  age: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 60_000 }), fc.nat({ max: 20 * 3_600_000 })),
  shown: fc.uniqueArray(
    fc.record({
      mailbox: fc.nat({ max: MAILBOXES.length - 1 }),
      tag: maybe(pick(TAGS)),
      caught: maybe(fc.uniqueArray(pick(PEOPLE), { minLength: 1, maxLength: 2 })),
    }),
    { minLength: 1, maxLength: 2, selector: ({ mailbox }) => mailbox },
  ),
});

/** @param now ms since 1970; mails arrive up to 20 hours earlier */
export function makeCorpus(seed: number, size: number, now: number): CorpusMail[] {
  return fc.sample(shape, { seed, numRuns: size }).map((each) => makeMail(each, now));
}

type Shape = typeof shape extends fc.Arbitrary<infer Value> ? Value : never;

function makeMail({ age, shown, html, files, team, messageId, ...mail }: Shape, now: number) {
  const receivedAt = new Date(now - age);
  const mailId = newId('mail', receivedAt.getTime());
  const header =
    team === null ? [] : [{ name: 'X-Team', value: team.replaceAll('\n', ' ').trim() }];
  const { subject, fromAddress, fromName, to, cc, size } = mail;
  const facts = {
    ...{ sender: null, inReplyTo: null, autoSubmitted: null },
    date: files.length > 0 ? null : receivedAt.toISOString(),
    threadId: messageId === null ? null : `thr_${messageId.length}`,
    replyTo: cc.map((address) => ({ address, name: fromName })),
    listId: team === null ? null : 'blue.lists.example',
  };
  const messages = shown.map(({ mailbox, tag, caught }) => ({
    mailbox,
    message: {
      id: newId('message', receivedAt.getTime()),
      mailId,
      mailboxId: '',
      recipient: `${MAILBOXES[mailbox]?.name ?? ''}@one.test`,
      tag,
      receivedAt,
      bodyBytes: 100,
      envelopeTo: caught,
      facts,
    },
  }));
  return {
    rows: {
      mail: {
        ...{ id: mailId, ingestId: newId('ingest', receivedAt.getTime()) },
        ...{ fromAddress, fromName, to, cc, subject, size, messageIdHeader: messageId },
        text: mail.text,
        html: html && htmlOf(html),
        raw: Buffer.from(
          [...header.map(({ name, value }) => `${name}: ${value}`), '', 'x'].join('\r\n'),
        ),
        attachmentCount: files.length,
      },
      attachments: files.map((filename, position) => ({
        ...{ id: newId('attachment'), mailId, position, filename },
        ...{ contentType: 'a/b', size: 1, content: Buffer.from('x') },
      })),
      conditions: null,
    },
    messages,
    visible: messages.map(({ message }) => ({
      ...documentFor(
        message,
        {
          ...{ fromAddress, fromName, to, cc, subject, size, messageIdHeader: messageId },
          attachmentCount: files.length,
        },
        [mail.text ?? '', html?.visible ?? ''],
      ),
      ...{ header, filenames: files, hasHtml: html !== null },
    })),
  };
}

function htmlOf({ visible, hidden }: { visible: string; hidden: string }): string {
  return `<html><head><title>${hidden}</title></head><body><p>${visible}</p><p hidden>${hidden}</p></body></html>`;
}
