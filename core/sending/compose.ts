/**
 * The MIME source of a sent mail. nodemailer encodes header values, so no value can inject another
 * header.
 */

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
export async function composeMail(fields: MailFields): Promise<Buffer> {
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
