export type { Api, ClientOptions } from './connection/api.js';
export type { Claim, ClaimOptions } from './waiting/claim.js';
export { createClient, type Mayfly } from './client.js';
export type { Criteria } from './waiting/criteria.js';
export { MayflyError, MayflyTimeout, MayflyUnexpectedMessage } from './errors.js';
export type { EventOptions } from './events/event-stream.js';
export type { Inbox, NoneOptions, WaitOptions } from './inbox.js';
export type { Mailbox, Mailboxes } from './mailboxes.js';
export type {
  Extracted,
  LinkKind,
  LiveEvent,
  Mail,
  MailboxData,
  Message,
  NearMiss,
  NewMailbox,
  Sent,
  WebhookEvent,
} from './types.js';
export { MayflySignatureError, verifyWebhook } from './webhook.js';
