/** The MIME source of a sent mail. */
import { type Task, lengthOf } from '../mime/task.ts';

interface MailFields {
  from: { name: string; address: string };
  to: string[];
  cc: string[];
  subject: string;
  text?: string | undefined;
  html?: string | undefined;
  attachments: {
    filename: string | undefined;
    contentType: string;
    content: Buffer;
    contentDisposition: 'attachment' | 'inline';
    /** Content-ID, by which the HTML shows the part. */
    cid?: string;
  }[];
  replyTo?: { name: string; address: string }[];
  headers?: Record<string, string>;
  messageId: string;
  date: Date;
}

/** Of the header of an attachment, roughly. */
const ATTACHMENT_SIZE = 4096;

/** {@link composeMail} in a child for a mail that is not small. */
export const composedMail: Task<MailFields, Buffer> = {
  name: 'composedMail',
  sizeOf: ({ text, html, attachments }) =>
    attachments.reduce(
      (sum, { content }) => sum + ATTACHMENT_SIZE + content.length,
      lengthOf(text ?? null) + lengthOf(html ?? null),
    ),
  inlineSize: 512 * 1024,
  run: (fields) => composeMail(fields),
};

/**
 * The MIME source of a sent mail, in RFC 5322 bytes with CRLF line ends. nodemailer encodes header
 * values, so no value can inject another header, and never reads from a file or URL.
 */
async function composeMail(fields: MailFields): Promise<Buffer> {
  // Loaded on demand: few processes ever send.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    ...fields,
    text: fields.text ?? (fields.html === undefined ? '' : undefined),
    newline: '\r\n',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
