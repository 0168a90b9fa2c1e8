/** The version and the types of openapi.yaml, written by packages/client/contract.mjs. */
export const VERSION = '0.1.0';
export interface paths {
"/api/mailboxes": {
get: operations["listMailboxes"];
post: operations["createMailbox"];
delete: operations["deleteMailboxes"];
};
"/api/mailboxes/batch": {
post: operations["createMailboxes"];
};
"/api/mailboxes/{name}": {
get: operations["getMailbox"];
delete: operations["deleteMailbox"];
patch: operations["changeMailbox"];
};
"/api/mailboxes/{name}/mark": {
get: operations["getMark"];
};
"/api/messages": {
get: operations["searchMessages"];
};
"/api/mailboxes/{name}/messages": {
get: operations["listMessages"];
post: operations["sendMessage"];
delete: operations["clearMailbox"];
};
"/api/mailboxes/{name}/messages/wait": {
get: operations["waitForMessages"];
};
"/api/mailboxes/{name}/messages/claim": {
post: operations["claimMessages"];
};
"/api/mailboxes/{name}/messages/{id}/claim": {
get: operations["getClaim"];
put: operations["prolongClaim"];
delete: operations["releaseClaim"];
};
"/api/mailboxes/{name}/messages/raw": {
post: operations["storeRawMessage"];
};
"/api/mailboxes/{name}/messages/{id}": {
get: operations["getMessage"];
delete: operations["deleteMessage"];
};
"/api/mailboxes/{name}/messages/{id}/attachments/{attachmentId}": {
get: operations["getAttachment"];
};
"/api/mailboxes/{name}/messages/{id}/raw": {
get: operations["getRawMessage"];
};
"/api/mailboxes/{name}/messages/{id}/headers": {
get: operations["getMessageHeaders"];
};
"/api/mailboxes/{name}/messages/{id}/extracted": {
get: operations["getExtracted"];
};
"/api/mailboxes/{name}/messages/{id}/event": {
get: operations["getWebhookEvent"];
};
"/api/mailboxes/{name}/messages/{id}/html": {
get: operations["showMessageHtml"];
};
"/api/mailboxes/{name}/messages/{id}/text": {
get: operations["getMessageText"];
};
"/api/mailboxes/{name}/smtp-credentials": {
get: operations["listSmtpCredentials"];
post: operations["createSmtpCredential"];
};
"/api/mailboxes/{name}/smtp-credentials/{id}": {
delete: operations["deleteSmtpCredential"];
};
"/api/mailboxes/{name}/smtp-credentials/{id}/rotate-password": {
post: operations["rotateSmtpPassword"];
};
"/api/mailboxes/{name}/recipients": {
get: operations["listCaughtRecipients"];
};
"/api/events": {
get: operations["streamEvents"];
};
"/api/mailboxes/{name}/events": {
get: operations["streamMailboxEvents"];
};
"/api/session": {
get: operations["getSession"];
};
"/api/tokens": {
get: operations["listTokens"];
post: operations["createToken"];
};
"/api/tokens/{id}": {
delete: operations["revokeToken"];
};
"/api/mailboxes/{name}/webhooks": {
get: operations["listWebhooks"];
post: operations["registerWebhook"];
};
"/api/mailboxes/{name}/webhooks/{id}": {
delete: operations["deleteWebhook"];
patch: operations["changeWebhook"];
};
"/api/mailboxes/{name}/webhooks/{id}/rotate-secret": {
post: operations["rotateWebhookSecret"];
};
"/api/mailboxes/{name}/webhooks/{id}/test": {
post: operations["testWebhook"];
};
"/api/mailboxes/{name}/webhooks/{id}/recover": {
post: operations["recoverDeliveries"];
};
"/api/mailboxes/{name}/webhooks/{id}/deliveries": {
get: operations["listDeliveries"];
};
"/api/mailboxes/{name}/webhooks/{id}/deliveries/{deliveryId}": {
get: operations["getDelivery"];
};
"/api/mailboxes/{name}/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
post: operations["redeliver"];
};
"/mcp": {
post: operations["mcp"];
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
RpcMessage: {
jsonrpc: "2.0";
id?: string | number | null;
method?: string;
params?: Record<string, never>;
result?: Record<string, never>;
error?: {
code?: number;
message?: string;
};
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
export interface operations {
listMailboxes: {
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
createMailbox: {
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
deleteMailboxes: {
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
createMailboxes: {
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
getMailbox: {
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
deleteMailbox: {
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
changeMailbox: {
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
getMark: {
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
searchMessages: {
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
listMessages: {
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
sendMessage: {
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
clearMailbox: {
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
waitForMessages: {
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
claimMessages: {
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
getClaim: {
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
prolongClaim: {
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
releaseClaim: {
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
storeRawMessage: {
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
getMessage: {
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
deleteMessage: {
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
getAttachment: {
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
getRawMessage: {
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
getMessageHeaders: {
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
getExtracted: {
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
getWebhookEvent: {
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
showMessageHtml: {
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
getMessageText: {
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
listSmtpCredentials: {
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
createSmtpCredential: {
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
deleteSmtpCredential: {
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
rotateSmtpPassword: {
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
listCaughtRecipients: {
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
streamEvents: {
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
};
header?: {
"Last-Event-ID"?: string;
};
};
responses: {
200: {
content: {
"text/event-stream": components["schemas"]["LiveEvent"];
};
};
};
};
streamMailboxEvents: {
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
mark?: string;
};
header?: {
"Last-Event-ID"?: string;
};
path: {
name: string;
};
};
responses: {
200: {
content: {
"text/event-stream": components["schemas"]["LiveEvent"];
};
};
};
};
getSession: {
responses: {
200: {
content: {
"application/json": components["schemas"]["Session"];
};
};
};
};
listTokens: {
responses: {
200: {
content: {
"application/json": components["schemas"]["Token"][];
};
};
};
};
createToken: {
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
revokeToken: {
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
listWebhooks: {
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
registerWebhook: {
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
deleteWebhook: {
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
changeWebhook: {
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
rotateWebhookSecret: {
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
testWebhook: {
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
recoverDeliveries: {
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
listDeliveries: {
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
getDelivery: {
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
redeliver: {
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
mcp: {
requestBody: {
content: {
"application/json": components["schemas"]["RpcMessage"];
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["RpcMessage"];
"text/event-stream": string;
};
};
202: {
content?: never;
};
};
};
}
