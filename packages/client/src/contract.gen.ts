/** The version and the types of openapi.yaml, written by packages/client/contract.mjs. */
export const VERSION = '0.1.0';
export interface paths {
"/api/mailboxes": {
get: {
parameters: {
query?: {
limit?: number;
after?: string;
q?: string;
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
"application/json": {
deleted: number;
};
};
};
};
};
};
"/api/mailboxes/batch": {
post: {
requestBody: {
content: {
"application/json": {
count?: number;
expiresIn?: number | null;
labels?: {
[key: string]: string;
};
messagesExpireIn?: number | null;
maxMessages?: number | null;
mailboxes?: components["schemas"]["NewMailbox"][];
};
};
};
responses: {
201: {
content: {
"application/json": {
mailboxes: components["schemas"]["Mailbox"][];
};
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
"application/json": {
expiresIn?: number | null;
labels?: {
[key: string]: string;
};
messagesExpireIn?: number | null;
maxMessages?: number | null;
};
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
"application/json": {
mark: string;
};
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
"application/json": {
messages: components["schemas"]["Message"][];
nextCursor: string | null;
complete: boolean;
};
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
"application/json": {
messages: components["schemas"]["Message"][];
nextCursor: string | null;
total: number;
mark: string;
complete?: boolean;
};
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
"application/json": {
deleted: number;
};
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
link?: "verify" | "signIn" | "reset" | "invite" | "unsubscribe" | "preferences" | "viewOnline" | "legal" | "social" | "other";
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
"application/json": {
messages: components["schemas"]["Message"][];
outcome: "matched" | "timeout";
claims: components["schemas"]["Claim"][];
mark: string;
waitedMs: number;
};
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
"application/json": {
claimId: string;
expiresIn: number | null;
};
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
"application/json": {
messageId: string;
};
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
"application/json": {
headers: {
name: string;
value: string;
}[];
};
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
scheme?: "light" | "dark";
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
"application/json": {
id: string;
name: string;
username: string;
host: string;
port: number;
tls: "none" | "starttls" | "tls";
createdAt: string;
lastUsedAt: string | null;
}[];
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
"application/json": {
name: string;
};
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
"application/json": {
recipients: {
address: string;
messageCount: number;
lastAt: string;
}[];
nextCursor: string | null;
};
};
};
};
};
};
"/api/session": {
get: {
responses: {
200: {
content: {
"application/json": {
workspace: {
id: string;
domain: string;
plan: "free" | "pro";
};
token: {
id: string;
name: string;
prefix: string;
role: "reader" | "member" | "admin";
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
};
};
};
};
};
"/api/tokens": {
get: {
responses: {
200: {
content: {
"application/json": {
id: string;
name: string;
prefix: string;
lastUsedAt: string | null;
createdAt: string;
role: "reader" | "member" | "admin";
expiresAt: string | null;
mailboxes: string[] | null;
}[];
};
};
};
};
post: {
requestBody: {
content: {
"application/json": {
name: string;
role?: "reader" | "member" | "admin";
expiresIn?: number | null;
mailboxes?: string[] | null;
};
};
};
responses: {
201: {
content: {
"application/json": {
id: string;
name: string;
prefix: string;
token: string;
createdAt: string;
role: "reader" | "member" | "admin";
expiresAt: string | null;
mailboxes: string[] | null;
};
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
"application/json": {
url: string;
include?: "extracted"[];
};
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
"application/json": {
url?: string;
active?: boolean;
};
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
"application/json": {
expiresIn?: number;
};
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
"application/json": {
since?: string;
};
};
};
responses: {
202: {
content: {
"application/json": {
recovered: number;
};
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
state?: "pending" | "in_flight" | "delivered" | "abandoned" | "held" | "cancelled" | "expired";
};
path: {
name: string;
id: string;
};
};
responses: {
200: {
content: {
"application/json": {
deliveries: components["schemas"]["Delivery"][];
nextCursor: string | null;
};
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
attachments: {
id: string;
contentId?: string;
filename: string;
contentType: string;
size: number;
url: string | null;
signedUrl: string | null;
}[];
receivedAt: string;
tag?: string;
cc: string[];
fromName?: string;
messageIdHeader?: string;
size: number;
expiresAt: string;
parseError?: string;
envelope: {
from: string;
to: string[];
};
extracted?: components["schemas"]["Extracted"];
mailbox?: string;
};
SendRequest: {
to: string[];
subject: string;
text?: string;
html?: string;
from?: string;
cc?: string[];
attachments?: {
filename?: string;
contentType?: string;
data?: string;
}[];
};
Sent: {
messageId: string;
deliveredTo: string[];
};
WaitResult: {
messages: components["schemas"]["Message"][];
outcome: "matched" | "timeout";
mark: string;
settled: boolean;
waitedMs: number;
unmatched: {
count: number;
nearest: {
messageId: string;
subject: string;
failed: ("from" | "to" | "tag" | "subject" | "text" | "header" | "hasAttachment" | "hasCode" | "link" | "claimed")[];
}[];
};
};
ClaimRequest: {
match?: {
from?: string[];
to?: string[];
tag?: string;
subject?: string;
text?: string;
header?: string[];
hasAttachment?: boolean;
hasCode?: boolean;
link?: "verify" | "signIn" | "reset" | "invite" | "unsubscribe" | "preferences" | "viewOnline" | "legal" | "social" | "other";
since?: string;
};
mark?: string | null;
limit?: number;
timeout?: number;
owner?: string | null;
expiresIn?: number | null;
};
Claim: {
id: string;
messageId: string;
owner: string | null;
expiresAt: string | null;
};
Webhook: {
id: string;
mailboxId: string;
url: string;
active: boolean;
createdAt: string;
pausedReason: "failing" | "gone" | "manual" | null;
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
pausedReason: "failing" | "gone" | "manual" | null;
pausedAt: string | null;
failingSince: string | null;
lastSuccessAt: string | null;
include: "extracted"[];
};
Nothing: Record<string, never>;
Delivery: {
id: string;
webhookId: string;
messageId: string;
event: "message.received";
trigger: "event" | "manual" | "test";
redeliveryOf: string | null;
state: "pending" | "in_flight" | "delivered" | "abandoned" | "held" | "cancelled" | "expired";
reason: string | null;
nextAttemptAt: string | null;
createdAt: string;
finishedAt: string | null;
attempts: {
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
}[];
};
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
Error: {
error: string;
code: string;
requestId: string;
details?: unknown;
};
SmtpCredentialWithPassword: {
id: string;
name: string;
username: string;
password: string;
host: string;
port: number;
tls: "none" | "starttls" | "tls";
url: string;
createdAt: string;
lastUsedAt: string | null;
};
Extracted: {
version: number;
code: string | null;
link: string | null;
codes: {
value: string;
display: string;
confidence: number;
source: "html" | "text" | "subject";
context: string;
reasons: components["schemas"]["ExtractedReason"][];
}[];
rejected: {
value: string;
reason: "address" | "url" | "phone" | "date" | "time" | "amount" | "percentage" | "version" | "colour" | "postalCode" | "reference" | "year" | "quoted" | "footer" | "keyword";
}[];
links: components["schemas"]["ExtractedLink"][];
unsubscribe: {
header: string[];
mailto: string[];
oneClick: boolean;
body: string[];
problems: ("one_click_without_https" | "bad_syntax")[];
};
truncated: boolean;
};
ExtractedReason: {
rule: string;
detail: string;
weight: number;
};
ExtractedLink: {
url: string;
text: string;
kind: "verify" | "signIn" | "reset" | "invite" | "unsubscribe" | "preferences" | "viewOnline" | "legal" | "social" | "other";
confidence: number;
source: "html" | "text" | "subject" | "jsonld";
sameDomain: boolean;
reasons: components["schemas"]["ExtractedReason"][];
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
};
responses: {
File: {
content: {
"application/octet-stream": unknown;
"*/*": unknown;
};
};
};
}
