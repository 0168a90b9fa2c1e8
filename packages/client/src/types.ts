import type { components } from './contract.gen.ts';

type Schemas = components['schemas'];

export type Message = Schemas['Message'];
export type MailboxData = Schemas['Mailbox'];
export type NewMailbox = Schemas['NewMailbox'];
export type Attachment = Schemas['Attachment'];
export type EnclosedMessage = Schemas['EnclosedMessage'];
export type Part = Schemas['Part'];
export type PartTree = Schemas['PartTree'];
export type Extracted = Schemas['Extracted'];
export type ExtractedLink = Schemas['ExtractedLink'];
export type LinkKind = ExtractedLink['kind'];
export type HeaderField = Schemas['HeaderField'];
export type Mail = Schemas['SendRequest'];
export type Reply = Schemas['ReplyRequest'];
export type Sent = Schemas['Sent'];
export type StoredMail = Schemas['StoredMail'];
/** A change in the workspace, or `reset`: events were lost since the last one. */
export type LiveEvent = Schemas['LiveEvent'] | { type: 'reset' };
/** A message that does not match, with the criteria that failed. */
export interface NearMiss {
  messageId: string;
  subject: string;
  /** The name of its mailbox, of a wait in all mailboxes. */
  mailbox?: string;
  failed: string[];
}
/** The body of a webhook request; `extracted` with the webhook's `include: ['extracted']`. */
export type WebhookEvent = Schemas['WebhookEvent'];
