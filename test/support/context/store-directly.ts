import type { Context } from '../../../core/context.ts';
import { newId } from '../../../core/ids.ts';
import { previewOf } from '../../../core/text/preview.ts';

/**
 * Inserts the rows of a mail with this text for one mailbox, without ingest. Returns its message
 * id.
 */
export async function storeDirectly(
  context: Context,
  mailboxId: string,
  receivedAt: number,
  text = '',
  subject = '',
): Promise<string> {
  const mailId = newId('mail', receivedAt);
  const id = newId('message', receivedAt);
  await context.ingest.writer.add({
    mail: {
      id: mailId,
      ingestId: newId('ingest', receivedAt),
      fromAddress: 'sender@elsewhere.test',
      fromName: null,
      to: [],
      cc: [],
      subject,
      messageIdHeader: null,
      size: text.length,
      attachmentCount: 0,
      parseError: null,
      rawBlobKey: null,
      text,
      html: null,
      raw: Buffer.alloc(0),
    },
    messages: [
      {
        id,
        mailId,
        mailboxId,
        recipient: 'box@one.test',
        tag: null,
        receivedAt: new Date(receivedAt),
        bodyBytes: text.length,
        preview: previewOf({ text, html: null }),
      },
    ],
    attachments: [],
    conditions: null,
  });
  return id;
}
