/** A sent mail as MIME bytes. nodemailer encodes every header value, so none can begin another header. */
import MailComposer from 'nodemailer/lib/mail-composer';

export interface Draft {
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

/** RFC 5322 bytes with CRLF line ends. Nothing is ever read from a file or URL. */
export function composeMail(draft: Draft): Promise<Buffer> {
  const composer = new MailComposer({
    ...draft,
    text: draft.text ?? (draft.html === undefined ? '' : undefined),
    newline: '\r\n',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
