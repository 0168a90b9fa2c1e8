import type { MessageAndMail } from '../../db/statements/messages.ts';
import { previewOf } from '../text/preview.ts';

/** The preview of a message. That of mail which an earlier version stored is made when read. */
export function shownPreview({
  message,
  mail,
}: {
  message: Pick<MessageAndMail['message'], 'preview'>;
  mail: Pick<MessageAndMail['mail'], 'text' | 'html'>;
}): string {
  return message.preview ?? previewOf(mail);
}
