/** The body of a stored message as a text, and as a page. */
import { type AttachmentRow, attachmentContent } from '../../../db/statements/attachments.ts';
import type { AttachmentFacts } from '../../../db/schema/mail-facts.ts';
import type { MailboxRow } from '../../../db/statements/mailboxes.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { partName } from '../../mime/picture-urls.ts';
import type { Reader } from '../../mime/reading.ts';
import { type HtmlPageInput, bodyText, htmlPage } from '../body.ts';
import { type NamedPicture, type Picture, shownPictures } from '../embed-images.ts';
import { attachmentName, readWhole } from '../files.ts';
import { requireMessageWithFiles } from '../messages.ts';
import { requireMessage } from '../resolve-id.ts';

const PICTURE = /^image\/[a-z0-9.+-]+$/i;
const PICTURE_NAME = /\.(png|gif|jpe?g|webp)$/i;

/**
 * The text of a message, as {@link bodyText} has it, or another task.
 * @throws {AppError} `not_found` if the message does not exist in the mailbox.
 */
export async function messageText(
  context: Context,
  reader: Reader,
  mailbox: MailboxRow,
  id: string,
  task = bodyText,
): Promise<Buffer> {
  return context.ingest.reading.run(reader, task, async () => {
    const { text, html } = (await requireMessage(context, mailbox, id, reader.admit)).mail;
    return { text, html };
  });
}

/** The page of a message, and the origin of its `base` element. */
type HtmlView = Awaited<ReturnType<typeof htmlPage.run>>;

type ViewOptions = Pick<HtmlPageInput, 'remote' | 'scheme' | 'newWindow'>;

/**
 * The HTML of a message, as {@link htmlPage} has it.
 * @param options `scheme` is the colors that the reader chose; null follows the system.
 * @throws {AppError} `not_found` if the message does not exist in the mailbox or has no HTML.
 */
export async function htmlView(
  context: Context,
  reader: Reader,
  { mailbox, messageId }: { mailbox: MailboxRow; messageId: string },
  options: ViewOptions,
): Promise<HtmlView> {
  const { reading, parsePool } = context.ingest;
  const load = () => readHtml(context, reader, mailbox, messageId);
  const small = smallPage(await load(), options);
  if (small) return small;
  return reading.inTurn(reader, async () => {
    const { html, mailId, pictures } = await load();
    const chosen = await parsePool.run(shownPictures, { html, pictures });
    const embedded: Picture[] = [];
    for (const { id, written } of chosen) {
      const picture = pictures.find((each) => each.id === id);
      if (!picture) continue;
      embedded.push({ ...picture, written, content: await contentOf(context, mailId, id) });
    }
    return parsePool.run(htmlPage, { html, pictures: embedded, ...options });
  });
}

interface ReadHtml {
  html: string;
  mailId: string;
  pictures: NamedPicture[];
}

/** The page of short HTML without pictures; null for another one. */
function smallPage(
  { html, pictures }: ReadHtml,
  options: ViewOptions,
): HtmlView | Promise<HtmlView> | null {
  const input = { html, pictures: [], ...options };
  const isSmall = pictures.length === 0 && htmlPage.sizeOf(input) <= htmlPage.inlineSize;
  return isSmall ? htmlPage.run(input) : null;
}

async function readHtml(
  context: Context,
  { admit }: Reader,
  mailbox: MailboxRow,
  messageId: string,
): Promise<ReadHtml> {
  const found = await requireMessageWithFiles(context, mailbox, messageId, admit);
  const { html, id } = found.mail;
  if (html === null) throw new AppError('not_found', 'The message has no HTML body.');
  const pictures = found.attachments.flatMap((row) =>
    pictureOf(row, found.details?.attachments[row.position]),
  );
  return { html, mailId: id, pictures };
}

/** None for a file that is no picture. Some senders declare pictures as files of no known type. */
function pictureOf(row: AttachmentRow, facts: AttachmentFacts | undefined): NamedPicture[] {
  const contentType = pictureType(row);
  if (contentType === null) return [];
  const urls = facts?.urls ?? [];
  const names = row.contentId === null ? urls : [partName(row.contentId), ...urls];
  return [{ id: row.id, names, contentType, size: row.size }];
}

function pictureType({ contentType, filename }: AttachmentRow): string | null {
  if (PICTURE.test(contentType)) return contentType;
  if (contentType !== 'application/octet-stream') return null;
  const [, extension] = PICTURE_NAME.exec(filename ?? '') ?? [];
  return extension === undefined ? null : `image/${extension.toLowerCase().replace('jpg', 'jpeg')}`;
}

async function contentOf(context: Context, mailId: string, id: string): Promise<Buffer> {
  const [row] = await context.store.query(attachmentContent, mailId, id);
  if (!row) return Buffer.alloc(0);
  return readWhole(context, { ...row, filename: attachmentName(row) });
}
