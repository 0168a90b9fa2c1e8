/** Schemas of the REST API, under the names of openapi.yaml. */
import type { components } from '../../api/contract/contract.gen.ts';

type Schemas = components['schemas'];

export type Session = Schemas['Session'];
export type Mailbox = Schemas['Mailbox'];
/** Lists contain summaries, without `text` and `html`. */
export type Message = Schemas['Message'];
export type EnclosedMessage = Schemas['EnclosedMessage'];
export type Extracted = Schemas['Extracted'];
export type Attachment = Schemas['Attachment'];
export type HeaderField = Schemas['HeaderField'];
export type NamedAddress = Schemas['NamedAddress'];
export type Part = Schemas['Part'];
export type PartTree = Schemas['PartTree'];
export type MessagePage = Schemas['MessagePage'];
export type SearchPage = Schemas['SearchPage'];
export type SendRequest = Schemas['SendRequest'];
export type SendAttachment = Schemas['SendAttachment'];
export type Sent = Schemas['Sent'];
export type Webhook = Schemas['Webhook'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type WebhookChange = Schemas['WebhookChange'];
export type Recovered = Schemas['Recovered'];
export type Delivery = Schemas['Delivery'];
export type DeliveryAttempt = Schemas['DeliveryAttempt'];
export type DeliveryPage = Schemas['DeliveryPage'];
export type DeliveryState = Schemas['DeliveryState'];
export type SmtpCredential = Schemas['SmtpCredential'];
export type SmtpCredentialWithPassword = Schemas['SmtpCredentialWithPassword'];
export type CaughtRecipientPage = Schemas['CaughtRecipientPage'];
export type Token = Schemas['Token'];
export type NewToken = Schemas['NewToken'];
export type CreatedToken = Schemas['CreatedToken'];
export type Role = Schemas['Role'];
export type LiveEvent = Schemas['LiveEvent'];
export type ErrorBody = Schemas['Error'];
