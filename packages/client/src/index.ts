export type { Api, ClientOptions } from './connection/api.ts';
export type { Claim, ClaimOptions } from './waiting/claim.ts';
export { createClient, type Mayfly } from './client.ts';
export type { Criteria } from './waiting/criteria.ts';
export { LINK_KINDS, type MailAttachment } from './contents.ts';
export { MayflyError, MayflyTimeout, MayflyUnexpectedMessage } from './errors.ts';
export type { EventOptions } from './events/event-stream.ts';
export type { Inbox } from './inbox.ts';
export type { WaitOptions } from './waiting/find.ts';
export type { NoneOptions } from './waiting/none.ts';
export type { Order } from './waiting/search.ts';
export type { Waits } from './waiting/waits.ts';
export type { Mailbox, Mailboxes } from './client.ts';
export type {
  Attachment,
  EnclosedMessage,
  Extracted,
  ExtractedLink,
  HeaderField,
  LinkKind,
  LiveEvent,
  Mail,
  Reply,
  MailboxData,
  Message,
  NearMiss,
  NewMailbox,
  Part,
  PartTree,
  Sent,
  StoredMail,
  WebhookEvent,
} from './types.ts';
export { MayflySignatureError, verifyWebhook } from './webhook.ts';
