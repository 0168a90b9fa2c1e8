/** Messages in the form of Mailpit's API v1. Its clients expect each field, with empty values. */
import { attachmentName } from '../../core/messages/files.ts';
import { type Message, shownPreview } from '../../core/messages/messages.ts';
import { shownPeople } from '../../core/messages/views/shown-people.ts';
import { tagsOf } from '../../core/messages/message-tags.ts';

type MailDetails = NonNullable<Message['details']>;
type Person = MailDetails['to'][number];

interface Address {
  Name: string;
  Address: string;
}

interface Attachment {
  PartID: string;
  FileName: string;
  ContentType: string;
  ContentID: string;
  Size: number;
  /** Mayfly computes only one of them. */
  Checksums: { MD5: string; SHA1: string; SHA256: string };
}

/** The fields that a list and a message have in common. */
function common(shown: Message) {
  const { message, mail, details } = shown;
  const { to, cc, bcc } = shownPeople(shown, details ?? null);
  return {
    ID: message.id,
    MessageID: (mail.messageIdHeader ?? '').replace(/^<|>$/g, ''),
    From: { Name: mail.fromName ?? '', Address: mail.fromAddress },
    To: to.map(addressOf),
    Cc: cc.map(addressOf),
    Bcc: bcc.map(addressOf),
    ReplyTo: (message.facts?.replyTo ?? []).map(addressOf),
    Subject: mail.subject,
    Tags: tagsOf(message),
    Username: '',
    Size: mail.size,
  };
}

/** An entry of a list. */
export function listedMessage(shown: Message) {
  return {
    ...common(shown),
    Read: false,
    Created: shown.message.receivedAt.toISOString(),
    Attachments: shown.attachments.filter((each) => !isInline(shown, each)).length,
    Snippet: shownPreview(shown),
  };
}

/**
 * @param text that readers see: of the HTML for a mail without text
 * @param fields List-Unsubscribe and List-Unsubscribe-Post
 */
export function wholeMessage(
  shown: Message,
  text: string,
  [header, post]: (string | null | undefined)[],
) {
  const { message, mail, attachments, details } = shown;
  const inline: Attachment[] = [];
  const attached: Attachment[] = [];
  for (const attachment of attachments) {
    const facts = details?.attachments[attachment.position];
    const files = isInline(shown, attachment) ? inline : attached;
    files.push(attachmentOf(attachment, facts));
  }
  return {
    ...common(shown),
    ReturnPath: message.envelopeFrom ?? mail.fromAddress,
    Date: message.facts?.date ?? message.receivedAt.toISOString(),
    Text: text,
    HTML: mail.html ?? '',
    Inline: inline,
    Attachments: attached,
    ListUnsubscribe: listUnsubscribe(header ?? '', post ?? ''),
  };
}

function isInline({ details }: Message, { position }: Message['attachments'][number]): boolean {
  return details?.attachments[position]?.isInline === true;
}

function attachmentOf(
  attachment: Message['attachments'][number],
  facts: MailDetails['attachments'][number] | undefined,
): Attachment {
  return {
    PartID: attachment.id,
    FileName: attachmentName(attachment),
    ContentType: attachment.contentType,
    ContentID: attachment.contentId ?? '',
    Size: attachment.size,
    Checksums: { MD5: '', SHA1: '', SHA256: facts?.sha256 ?? '' },
  };
}

function addressOf({ address, name }: Person): Address {
  return { Name: name ?? '', Address: address };
}

function listUnsubscribe(header: string, post: string) {
  return {
    Header: header,
    HeaderPost: post,
    Links: Array.from(header.matchAll(/<([^<>]+)>/g), ([, link = '']) => link),
    Errors: '',
  };
}
