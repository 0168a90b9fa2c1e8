/** Messages in the form of Mailpit's API v1. Its clients expect each field, with empty values. */
import { comparableAddress } from '../../core/addresses.ts';
import { attachmentName } from '../../core/messages/files.ts';
import { type Message, shownPreview } from '../../core/messages/messages.ts';

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
  return {
    ID: message.id,
    MessageID: (mail.messageIdHeader ?? '').replace(/^<|>$/g, ''),
    From: { Name: mail.fromName ?? '', Address: mail.fromAddress },
    To: addresses(details?.to, mail.to.length > 0 ? mail.to : [message.recipient]),
    Cc: addresses(details?.cc, mail.cc),
    Bcc: [...addresses(details?.bcc, []), ...addresses([], hiddenRecipients(shown))],
    ReplyTo: addresses(message.facts?.replyTo, []),
    Subject: mail.subject,
    Tags: message.tag === null ? [] : [message.tag],
    Size: mail.size,
  };
}

/** Recipients of the envelope that no field names, as Mailpit adds them to Bcc. */
function hiddenRecipients({ message, mail, details }: Message): string[] {
  const bcc = (details?.bcc ?? []).map(({ address }) => address);
  const own = mail.to.length > 0 ? [] : [message.recipient];
  const named = new Set([...mail.to, ...mail.cc, ...bcc, ...own].map(comparableAddress));
  const recipients = message.envelopeTo ?? [message.recipient];
  return recipients.filter((address) => !named.has(comparableAddress(address)));
}

/** An entry of a list. */
export function listedMessage(shown: Message) {
  return {
    ...common(shown),
    Read: false,
    Created: shown.message.receivedAt.toISOString(),
    Attachments: shown.attachments.length,
    Snippet: shownPreview(shown),
  };
}

/** @param fields List-Unsubscribe and List-Unsubscribe-Post */
export function wholeMessage(shown: Message, [header, post]: (string | null | undefined)[]) {
  const { message, mail, attachments, details } = shown;
  const inline: Attachment[] = [];
  const attached: Attachment[] = [];
  for (const attachment of attachments) {
    const facts = details?.attachments[attachment.position];
    (facts?.isInline ? inline : attached).push(attachmentOf(attachment, facts));
  }
  return {
    ...common(shown),
    ReturnPath: message.envelopeFrom ?? mail.fromAddress,
    Date: message.facts?.date ?? message.receivedAt.toISOString(),
    Text: mail.text ?? '',
    HTML: mail.html ?? '',
    Inline: inline,
    Attachments: attached,
    ListUnsubscribe: listUnsubscribe(header ?? '', post ?? ''),
  };
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

/** @param plain in place of people, in mail that an earlier version stored */
function addresses(people: Person[] | undefined, plain: string[]): Address[] {
  return people && people.length > 0
    ? people.map(({ address, name }) => ({ Name: name ?? '', Address: address }))
    : plain.map((address) => ({ Name: '', Address: address }));
}

function listUnsubscribe(header: string, post: string) {
  return {
    Header: header,
    HeaderPost: post,
    Links: Array.from(header.matchAll(/<([^<>]+)>/g), ([, link = '']) => link),
    Errors: '',
  };
}
