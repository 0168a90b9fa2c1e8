/** A message as an answer: its ids, times and sizes as data, its words in a fence. */
import { attachmentName } from '../../core/messages/files.ts';
import { type Message } from '../../core/messages/messages.ts';
import { shownRecipients } from '../../core/messages/read-header.ts';
import { bodyPortion } from '../../core/messages/portion.ts';
import type { Fence } from './fence.ts';
import type { ToolContext } from './tool.ts';

/** Characters of each part, as they are shown. */
const MOST = { name: 200, address: 320, subject: 500, recipients: 5, fact: 300 };
const MOST_FILES = { count: 20, name: 100 };

interface MessageData {
  id: string;
  receivedAt: string;
  expiresAt: string;
  /** Of the mail, in bytes. */
  size: number;
  attachments: number;
  textCharacters: number;
  /** Characters that the HTML hides from its reader, which are left out. */
  hiddenCharacters: number;
  /** Where the next call continues in the text; null at the end. */
  nextOffset: number | null;
}

/** Adds the words of the message to the fence, from an offset of its text on. */
export async function fenceMessage(
  { context, caller, disconnected: gone }: Pick<ToolContext, 'context' | 'caller' | 'disconnected'>,
  fence: Fence,
  shown: Message,
  offset = 0,
): Promise<MessageData> {
  const { message, mail, attachments, details } = shown;
  const reader = { workspaceId: caller.workspace.id, gone };
  const portion = await context.ingest.reading.run(reader, bodyPortion, () => {
    return { text: mail.text, html: mail.html, offset };
  });
  if (offset === 0) {
    addSender(fence, shown);
    for (const address of shownRecipients(shown).slice(0, MOST.recipients)) {
      fence.add('to', address, MOST.address);
    }
    for (const { address } of (message.facts?.replyTo ?? []).slice(0, MOST.recipients)) {
      fence.add('replyTo', address, MOST.address);
    }
    if (details) addReportAndEvent(fence, details);
    // A fault can contain names of fields and parts, which are the sender's words.
    if (mail.parseError !== null) fence.add('parseError', mail.parseError, MOST.fact);
    for (const [n, attachment] of attachments.slice(0, MOST_FILES.count).entries()) {
      const words = `${attachment.contentType}: ${attachmentName(attachment)}`;
      fence.add(`attachment ${n + 1}`, words, MOST_FILES.name);
    }
  }
  return {
    id: message.id,
    receivedAt: message.receivedAt.toISOString(),
    expiresAt: message.expiresAt.toISOString(),
    size: mail.size,
    attachments: attachments.length,
    textCharacters: portion.textCharacters,
    hiddenCharacters: portion.hiddenCharacters,
    nextOffset: fence.addLines('text', portion),
  };
}

function addReportAndEvent(fence: Fence, { report, event }: NonNullable<Message['details']>): void {
  const join = (...words: (string | null | undefined)[]) =>
    words.filter((word) => typeof word === 'string').join(' ');
  for (const recipient of report?.recipients.slice(0, MOST.recipients) ?? []) {
    const { address, action, status, diagnostic } = recipient;
    fence.add(report?.kind ?? '', join(address, action, status, diagnostic), MOST.fact);
  }
  if (event) {
    const { method, start, end, summary, organizer } = event;
    fence.add('event', join(method, start, end, summary, organizer?.address), MOST.fact);
  }
}

/** Adds the sender and the subject to the fence. */
export function addSender(fence: Fence, { mail }: Pick<Message, 'mail'>): void {
  fence.add('fromName', mail.fromName ?? '', MOST.name);
  fence.add('from', mail.fromAddress, MOST.address);
  fence.add('subject', mail.subject, MOST.subject);
}
