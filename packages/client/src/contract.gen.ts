/** The version and the types of openapi.yaml, written by packages/client/contract.mjs. */
export const VERSION = '0.1.0';
export interface paths {
"/api/mailboxes": {
get: {
parameters: {
query?: {
label?: string[];
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Mailbox"][];
};
};
};
};
post: {
parameters: {
header?: {
"Idempotency-Key"?: string;
};
};
requestBody?: {
content: {
"application/json": components["schemas"]["NewMailbox"];
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Mailbox"];
};
};
201: {
content: {
"application/json": components["schemas"]["Mailbox"];
};
};
};
};
delete: {
parameters: {
query: {
label: string[];
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["DeletedMailboxes"];
};
};
};
};
};
"/api/mailboxes/batch": {
post: {
parameters: {
};
requestBody: {
content: {
"application/json": components["schemas"]["NewMailboxes"];
};
};
responses: {
201: {
content: {
"application/json": components["schemas"]["CreatedMailboxes"];
};
};
};
};
};
"/api/mailboxes/{name}": {
get: {
parameters: {
path: {
name: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Mailbox"];
};
};
};
};
delete: {
parameters: {
path: {
name: string;
};
};
responses: {
204: {
content?: never;
};
};
};
patch: {
parameters: {
path: {
name: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["MailboxChange"];
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Mailbox"];
};
};
};
};
};
"/api/mailboxes/{name}/mark": {
get: {
parameters: {
path: {
name: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Mark"];
};
};
};
};
};
"/api/messages": {
get: {
parameters: {
query?: {
q?: string;
limit?: number;
after?: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["SearchPage"];
};
};
};
};
};
"/api/mailboxes/{name}/messages": {
get: {
parameters: {
query?: {
limit?: number;
after?: string;
view?: "full" | "summary";
since?: string;
to?: string;
claimed?: boolean;
q?: string;
};
path: {
name: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["MessagePage"];
};
};
};
};
post: {
parameters: {
header?: {
"Idempotency-Key"?: string;
};
path: {
name: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["SendRequest"];
};
};
responses: {
201: {
content: {
"application/json": components["schemas"]["Sent"];
};
};
};
};
delete: {
parameters: {
query?: {
to?: string;
before?: string;
};
path: {
name: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Cleared"];
};
};
};
};
};
"/api/mailboxes/{name}/messages/wait": {
get: {
parameters: {
query?: {
from?: string[];
to?: string[];
tag?: string;
subject?: string;
text?: string;
header?: string[];
hasAttachment?: boolean;
hasCode?: boolean;
link?: components["schemas"]["LinkKind"];
claimed?: boolean;
mark?: string;
since?: string;
count?: number;
order?: "oldest" | "newest";
timeout?: number;
view?: "full" | "summary";
extract?: boolean;
};
path: {
name: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["WaitResult"];
};
};
};
};
};
"/api/mailboxes/{name}/messages/claim": {
post: {
parameters: {
header?: {
"Idempotency-Key"?: string;
};
path: {
name: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["ClaimRequest"];
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["ClaimResult"];
};
};
};
};
};
"/api/mailboxes/{name}/messages/{id}/claim": {
get: {
parameters: {
path: {
name: string;
id: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Claim"];
};
};
};
};
put: {
parameters: {
path: {
name: string;
id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["ClaimChange"];
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Claim"];
};
};
};
};
delete: {
parameters: {
query: {
claimId: string;
};
path: {
name: string;
id: string;
};
};
responses: {
204: {
content?: never;
};
};
};
};
"/api/mailboxes/{name}/messages/raw": {
post: {
parameters: {
query?: {
from?: string;
to?: string[];
};
path: {
name: string;
};
};
requestBody: {
content: {
"message/rfc822": unknown;
};
};
responses: {
201: {
content: {
"application/json": components["schemas"]["StoredMail"];
};
};
};
};
};
"/api/mailboxes/{name}/messages/{id}": {
get: {
parameters: {
path: {
name: string;
id: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Message"];
};
};
};
};
delete: {
parameters: {
path: {
name: string;
id: string;
};
};
responses: {
204: {
content?: never;
};
};
};
};
"/api/mailboxes/{name}/messages/{id}/attachments/{attachmentId}": {
get: {
parameters: {
path: {
name: string;
id: string;
attachmentId: string;
};
};
responses: {
200: components["responses"]["File"];
};
};
};
"/api/mailboxes/{name}/messages/{id}/raw": {
get: {
parameters: {
path: {
name: string;
id: string;
};
};
responses: {
200: {
content: {
"message/rfc822": unknown;
};
};
};
};
};
"/api/mailboxes/{name}/messages/{id}/headers": {
get: {
parameters: {
path: {
name: string;
id: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["HeaderFields"];
};
};
};
};
};
"/api/mailboxes/{name}/messages/{id}/extracted": {
get: {
parameters: {
path: {
name: string;
id: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Extracted"];
};
};
};
};
};
"/api/mailboxes/{name}/messages/{id}/event": {
get: {
parameters: {
query?: {
include?: "extracted"[];
};
path: {
name: string;
id: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["WebhookEvent"];
};
};
};
};
};
"/api/mailboxes/{name}/messages/{id}/html": {
get: {
parameters: {
query?: {
remote?: boolean;
};
path: {
name: string;
id: string;
};
};
responses: {
200: {
content: {
"text/html": string;
};
};
};
};
};
"/api/mailboxes/{name}/messages/{id}/text": {
get: {
parameters: {
path: {
name: string;
id: string;
};
};
responses: {
200: {
content: {
"text/plain": string;
};
};
};
};
};
"/api/mailboxes/{name}/smtp-credentials": {
get: {
parameters: {
path: {
name: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["SmtpCredential"][];
};
};
};
};
post: {
parameters: {
path: {
name: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["NewSmtpCredential"];
};
};
responses: {
201: {
content: {
"application/json": components["schemas"]["SmtpCredentialWithPassword"];
};
};
};
};
};
"/api/mailboxes/{name}/smtp-credentials/{id}": {
delete: {
parameters: {
path: {
name: string;
id: string;
};
};
responses: {
204: {
content?: never;
};
};
};
};
"/api/mailboxes/{name}/smtp-credentials/{id}/rotate-password": {
post: {
parameters: {
path: {
name: string;
id: string;
};
};
requestBody?: {
content: {
"application/json": components["schemas"]["Nothing"];
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["SmtpCredentialWithPassword"];
};
};
};
};
};
"/api/mailboxes/{name}/recipients": {
get: {
parameters: {
query?: {
limit?: number;
after?: string;
};
path: {
name: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["CaughtRecipientPage"];
};
};
};
};
};
"/api/session": {
get: {
parameters: {
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Session"];
};
};
};
};
};
"/api/tokens": {
get: {
parameters: {
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Token"][];
};
};
};
};
post: {
parameters: {
};
requestBody: {
content: {
"application/json": components["schemas"]["NewToken"];
};
};
responses: {
201: {
content: {
"application/json": components["schemas"]["CreatedToken"];
};
};
};
};
};
"/api/tokens/{id}": {
delete: {
parameters: {
path: {
id: string;
};
};
responses: {
204: {
content?: never;
};
};
};
};
"/api/mailboxes/{name}/webhooks": {
get: {
parameters: {
path: {
name: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Webhook"][];
};
};
};
};
post: {
parameters: {
path: {
name: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["NewWebhook"];
};
};
responses: {
201: {
content: {
"application/json": components["schemas"]["WebhookWithSecret"];
};
};
};
};
};
"/api/mailboxes/{name}/webhooks/{id}": {
delete: {
parameters: {
path: {
name: string;
id: string;
};
};
responses: {
204: {
content?: never;
};
};
};
patch: {
parameters: {
path: {
name: string;
id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["WebhookChange"];
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Webhook"];
};
};
};
};
};
"/api/mailboxes/{name}/webhooks/{id}/rotate-secret": {
post: {
parameters: {
path: {
name: string;
id: string;
};
};
requestBody?: {
content: {
"application/json": components["schemas"]["Rotation"];
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["WebhookWithSecret"];
};
};
};
};
};
"/api/mailboxes/{name}/webhooks/{id}/test": {
post: {
parameters: {
path: {
name: string;
id: string;
};
};
requestBody?: {
content: {
"application/json": components["schemas"]["Nothing"];
};
};
responses: {
202: {
content: {
"application/json": components["schemas"]["Delivery"];
};
};
};
};
};
"/api/mailboxes/{name}/webhooks/{id}/recover": {
post: {
parameters: {
path: {
name: string;
id: string;
};
};
requestBody?: {
content: {
"application/json": components["schemas"]["Recovery"];
};
};
responses: {
202: {
content: {
"application/json": components["schemas"]["Recovered"];
};
};
};
};
};
"/api/mailboxes/{name}/webhooks/{id}/deliveries": {
get: {
parameters: {
query?: {
limit?: number;
after?: string;
state?: components["schemas"]["DeliveryState"];
};
path: {
name: string;
id: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["DeliveryPage"];
};
};
};
};
};
"/api/mailboxes/{name}/webhooks/{id}/deliveries/{deliveryId}": {
get: {
parameters: {
path: {
name: string;
id: string;
deliveryId: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["Delivery"];
};
};
};
};
};
"/api/mailboxes/{name}/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
post: {
parameters: {
path: {
name: string;
id: string;
deliveryId: string;
};
};
requestBody?: {
content: {
"application/json": components["schemas"]["Nothing"];
};
};
responses: {
202: {
content: {
"application/json": components["schemas"]["Delivery"];
};
};
};
};
};
}
export interface components {
schemas: {
NewMailbox: {
name?: string;
expiresIn?: number | null;
labels?: {
[key: string]: string;
};
clientId?: string;
messagesExpireIn?: number | null;
maxMessages?: number | null;
};
NewMailboxes: {
count?: number;
expiresIn?: number | null;
labels?: {
[key: string]: string;
};
messagesExpireIn?: number | null;
maxMessages?: number | null;
mailboxes?: components["schemas"]["NewMailbox"][];
};
CreatedMailboxes: {
mailboxes: components["schemas"]["Mailbox"][];
};
MailboxChange: {
expiresIn?: number | null;
labels?: {
[key: string]: string;
};
messagesExpireIn?: number | null;
maxMessages?: number | null;
};
DeletedMailboxes: {
deleted: number;
};
Mailbox: {
id: string;
name: string;
address: string;
messageCount: number;
createdAt: string;
expiresAt: string | null;
labels: {
[key: string]: string;
};
clientId: string | null;
messagesExpireIn: number | null;
maxMessages: number | null;
};
Message: {
id: string;
from: string;
to: string[];
subject: string;
preview: string;
text?: string;
html?: string;
attachments: components["schemas"]["Attachment"][];
receivedAt: string;
tag?: string;
cc: string[];
fromName?: string;
messageIdHeader?: string;
size: number;
expiresAt: string;
parseError?: string;
envelope: components["schemas"]["Envelope"];
extracted?: components["schemas"]["Extracted"];
mailbox?: string;
};
Attachment: {
id: string;
contentId?: string;
filename: string;
contentType: string;
size: number;
url: string | null;
signedUrl: string | null;
};
SendRequest: {
to: string[];
subject: string;
text?: string;
html?: string;
from?: string;
cc?: string[];
attachments?: components["schemas"]["SendAttachment"][];
};
SendAttachment: {
filename?: string;
contentType?: string;
data?: string;
};
Sent: {
messageId: string;
deliveredTo: string[];
};
MessagePage: {
messages: components["schemas"]["Message"][];
nextCursor: string | null;
total: number;
mark: components["schemas"]["MarkText"];
complete?: boolean;
};
SearchPage: {
messages: components["schemas"]["Message"][];
nextCursor: string | null;
complete: boolean;
};
MarkText: string;
WaitResult: {
messages: components["schemas"]["Message"][];
outcome: "matched" | "timeout";
mark: components["schemas"]["MarkText"];
settled: boolean;
waitedMs: number;
unmatched: {
count: number;
nearest: components["schemas"]["NearMiss"][];
};
};
ClaimRequest: {
match?: components["schemas"]["Criteria"];
mark?: string | null;
limit?: number;
timeout?: number;
owner?: string | null;
expiresIn?: number | null;
};
Criteria: {
from?: string[];
to?: string[];
tag?: string;
subject?: string;
text?: string;
header?: string[];
hasAttachment?: boolean;
hasCode?: boolean;
link?: components["schemas"]["LinkKind"];
since?: string;
};
Claim: {
id: string;
messageId: string;
owner: string | null;
expiresAt: string | null;
};
ClaimChange: {
claimId: string;
expiresIn: number | null;
};
ClaimResult: {
messages: components["schemas"]["Message"][];
outcome: "matched" | "timeout";
claims: components["schemas"]["Claim"][];
mark: components["schemas"]["MarkText"];
waitedMs: number;
};
NearMiss: {
messageId: string;
subject: string;
failed: ("from" | "to" | "tag" | "subject" | "text" | "header" | "hasAttachment" | "hasCode" | "link" | "claimed")[];
};
Mark: {
mark: components["schemas"]["MarkText"];
};
NewWebhook: {
url: string;
include?: "extracted"[];
};
Webhook: {
id: string;
mailboxId: string;
url: string;
active: boolean;
createdAt: string;
pausedReason: components["schemas"]["PausedReason"];
pausedAt: string | null;
failingSince: string | null;
lastSuccessAt: string | null;
include: "extracted"[];
};
WebhookWithSecret: {
id: string;
mailboxId: string;
url: string;
active: boolean;
secret: string;
createdAt: string;
pausedReason: components["schemas"]["PausedReason"];
pausedAt: string | null;
failingSince: string | null;
lastSuccessAt: string | null;
include: "extracted"[];
};
PausedReason: "failing" | "gone" | "manual" | null;
WebhookChange: {
url?: string;
active?: boolean;
};
Nothing: Record<string, never>;
Rotation: {
expiresIn?: number;
};
Recovery: {
since?: string;
};
Recovered: {
recovered: number;
};
DeliveryState: "pending" | "in_flight" | "delivered" | "abandoned" | "held" | "cancelled" | "expired";
DeliveryPage: {
deliveries: components["schemas"]["Delivery"][];
nextCursor: string | null;
};
Delivery: {
id: string;
webhookId: string;
messageId: string;
event: "message.received";
trigger: "event" | "manual" | "test";
redeliveryOf: string | null;
state: components["schemas"]["DeliveryState"];
reason: string | null;
nextAttemptAt: string | null;
createdAt: string;
finishedAt: string | null;
attempts: components["schemas"]["DeliveryAttempt"][];
};
DeliveryAttempt: {
number: number;
startedAt: string;
url: string;
outcome: "delivered" | "http_error" | "timeout" | "dns_error" | "connection_refused" | "connection_failed" | "tls_error" | "blocked_address" | "interrupted" | null;
durationMs: number | null;
queueDelayMs: number;
statusCode: number | null;
payloadBytes: number | null;
retryAfterMs: number | null;
excerpt: string | null;
nextAttemptAt: string | null;
};
Role: "reader" | "member" | "admin";
LiveEvent: {
type: "message.received" | "message.deleted" | "mailbox.created" | "mailbox.deleted" | "mailbox.cleared" | "webhook.paused";
mailbox: string;
mailboxId: string;
messageId?: string;
from?: string;
subject?: string;
preview?: string;
webhookId?: string;
};
Session: {
workspace: {
id: string;
domain: string;
plan: "free" | "pro";
};
token: {
id: string;
name: string;
prefix: string;
role: components["schemas"]["Role"];
expiresAt: string | null;
mailboxes: string[] | null;
};
limits: {
mailboxes: number | null;
webhooksPerMailbox: number | null;
messageTtlMs: number;
};
publicUrl: string;
smtp: {
host: string;
port: number;
selfSigned: boolean;
};
queuesUrl: string | null;
csrfToken: string | null;
};
NewToken: {
name: string;
role?: components["schemas"]["Role"];
expiresIn?: number | null;
mailboxes?: string[] | null;
};
Token: {
id: string;
name: string;
prefix: string;
lastUsedAt: string | null;
createdAt: string;
role: components["schemas"]["Role"];
expiresAt: string | null;
mailboxes: string[] | null;
};
CreatedToken: {
id: string;
name: string;
prefix: string;
token: string;
createdAt: string;
role: components["schemas"]["Role"];
expiresAt: string | null;
mailboxes: string[] | null;
};
Error: {
error: string;
code: string;
requestId: string;
details?: unknown;
};
NewSmtpCredential: {
name: string;
};
SmtpTls: "none" | "starttls" | "tls";
SmtpCredential: {
id: string;
name: string;
username: string;
host: string;
port: number;
tls: components["schemas"]["SmtpTls"];
createdAt: string;
lastUsedAt: string | null;
};
SmtpCredentialWithPassword: {
id: string;
name: string;
username: string;
password: string;
host: string;
port: number;
tls: components["schemas"]["SmtpTls"];
url: string;
createdAt: string;
lastUsedAt: string | null;
};
Envelope: {
from: string;
to: string[];
};
CaughtRecipientPage: {
recipients: components["schemas"]["CaughtRecipient"][];
nextCursor: string | null;
};
CaughtRecipient: {
address: string;
messageCount: number;
lastAt: string;
};
StoredMail: {
messageId: string;
};
Extracted: {
version: number;
code: string | null;
link: string | null;
codes: components["schemas"]["ExtractedCode"][];
rejected: components["schemas"]["RejectedCode"][];
links: components["schemas"]["ExtractedLink"][];
unsubscribe: components["schemas"]["ExtractedUnsubscribe"];
truncated: boolean;
};
ExtractedReason: {
rule: string;
detail: string;
weight: number;
};
ExtractedCode: {
value: string;
display: string;
confidence: number;
source: "html" | "text" | "subject";
context: string;
reasons: components["schemas"]["ExtractedReason"][];
};
RejectedCode: {
value: string;
reason: "address" | "url" | "phone" | "date" | "time" | "amount" | "percentage" | "version" | "colour" | "postalCode" | "reference" | "year" | "quoted" | "footer" | "keyword";
};
ExtractedLink: {
url: string;
text: string;
kind: components["schemas"]["LinkKind"];
confidence: number;
source: "html" | "text" | "subject" | "jsonld";
sameDomain: boolean;
reasons: components["schemas"]["ExtractedReason"][];
};
LinkKind: "verify" | "signIn" | "reset" | "invite" | "unsubscribe" | "preferences" | "viewOnline" | "legal" | "social" | "other";
ExtractedUnsubscribe: {
header: string[];
mailto: string[];
oneClick: boolean;
body: string[];
problems: ("one_click_without_https" | "bad_syntax")[];
};
WebhookEvent: {
event: "message.received";
mailbox: string;
message: {
id: string;
from: string;
to: string[];
subject: string;
preview: string;
text: string;
html: string;
attachments: {
filename: string;
contentType: string;
size: number;
url: string | null;
}[];
receivedAt: string;
};
extracted?: components["schemas"]["Extracted"];
};
HeaderFields: {
headers: components["schemas"]["HeaderField"][];
};
HeaderField: {
name: string;
value: string;
};
Cleared: {
deleted: number;
};
};
responses: {
File: {
content: {
"application/octet-stream": unknown;
"*/*": unknown;
};
};
};
parameters: never;
requestBodies: never;
headers: never;
pathItems: never;
}
