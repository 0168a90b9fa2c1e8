/**
 * The MIME source of a sent mail. nodemailer encodes header values, so no value can inject another
 * header.
 */
import MailComposer from 'nodemailer/lib/mail-composer';

export interface MailFields {
  from: { name: string; address: string };
  to: string[];
  cc: string[];
  subject: string;
  text?: string | undefined;
  html?: string | undefined;
  attachments: { filename: string | undefined; contentType: string; content: Buffer }[];
  messageId: string;
  date: Date;
}

/** RFC 5322 bytes with CRLF line ends. Never reads from a file or URL. */
export function composeMail(fields: MailFields): Promise<Buffer> {
  const composer = new MailComposer({
    ...fields,
    text: fields.text ?? (fields.html === undefined ? '' : undefined),
    newline: '\r\n',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
