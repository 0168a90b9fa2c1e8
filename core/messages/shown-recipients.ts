import type { MessageAndMail } from '../../db/statements/messages.ts';

/** The recipients of a message: the To header of its mail, or else its envelope recipient. */
export function shownRecipients({ message, mail }: MessageAndMail): string[] {
  return mail.to.length > 0 ? mail.to : [message.recipient];
}
