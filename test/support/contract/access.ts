/** One valid request for each operation of the contract, aimed at a mailbox. */
import type { TestContext } from '../context/context.ts';
import { createCredential } from '../../../core/smtp-credentials/smtp-credentials.ts';
import { listDeliveries } from '../../../core/delivery/delivery-log.ts';
import { createMailboxes } from '../../../core/mailboxes/create.ts';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { listMessages } from '../../../core/messages/messages.ts';
import { newId } from '../../../core/ids.ts';
import { registerWebhook } from '../../../core/webhooks/webhooks.ts';
import { insertIgnoring } from '../../../db/store.ts';
import { deliverMail } from '../context/deliver.ts';
import type { Header, RawRequest } from '../clients/raw-http.ts';
import { type Media, type Operation, document, examplesOf, isStream } from './operations.ts';

/** A mailbox with one of everything. */
export interface Place {
  name: string;
  label: string;
  messageId: string;
  attachmentId: string;
  webhookId: string;
  deliveryId: string;
  credentialId: string;
  claimId: string;
}

/**
 * Creates a mailbox with a claimed message, an attachment, a webhook, a delivery and a credential.
 */
export async function makePlace(
  { context, caller }: Pick<TestContext, 'context' | 'caller'>,
  name: string,
  label: string,
): Promise<Place> {
  const [key = '', value = ''] = label.split(':');
  await createMailboxes(context, caller, [{ name, labels: { [key]: value } }]);
  const { webhook } = await registerWebhook(context, caller, name, 'https://hooks.example.com/');
  await deliverMail(context, [`${name}@one.test`], htmlMail(name));
  const mailbox = await requireMailbox(context, caller, name);
  const { rows } = await listMessages(context, mailbox, { limit: 1 });
  const messageId = rows[0]?.id ?? '';
  const { attachments } = context.store.db.t;
  const files = await context.store.db.select().from(attachments);
  const at = { mailboxName: name, webhookId: webhook.id };
  const { deliveries } = await listDeliveries(context, caller, at, { limit: 1 });
  const { credential } = await createCredential(context, caller, name, 'app');
  const claimedAt = new Date(context.now());
  const claim = { id: newId('claim', claimedAt.getTime()), messageId, mailboxId: mailbox.id };
  await context.store.transaction((tx) =>
    insertIgnoring(tx.t.claims, [{ ...claim, owner: null, expiresAt: null, claimedAt }]),
  );
  return {
    claimId: claim.id,
    ...{ name, label, messageId, webhookId: webhook.id, credentialId: credential.id },
    attachmentId: files.find(({ filename }) => filename === `${name}.bin`)?.id ?? '',
    deliveryId: deliveries[0]?.delivery.id ?? '',
  };
}

/** A mail with HTML, an attachment that has the name of the mailbox, and an enclosed mail. */
function htmlMail(name: string): string {
  return [
    'Subject: s',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '',
    `<p>${name}</p>`,
    '--b',
    'Content-Type: text/csv',
    `Content-Disposition: attachment; filename=${name}.bin`,
    '',
    name,
    '--b',
    'Content-Type: message/rfc822',
    'Content-Disposition: attachment',
    '',
    'Subject: enclosed',
    '',
    '--b--',
    '',
  ].join('\r\n');
}

/** The valid request of the operation for this place. */
export function requestFor(
  operation: Operation,
  place: Place,
  { token, tokenId }: { token: string; tokenId: string },
): RawRequest {
  const headers: Header[] = operation.needsToken ? [['Authorization', `Bearer ${token}`]] : [];
  const body = bodyOf(operation, place);
  if (isStream(operation)) headers.push(['Accept', 'application/json, text/event-stream']);
  if (operation.takesMail) headers.push(['Content-Type', 'message/rfc822']);
  else if (body !== undefined) headers.push(['Content-Type', 'application/json']);
  return {
    method: operation.method,
    path: targetOf(operation, place, tokenId),
    headers,
    body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
    encoding: 'utf8',
  };
}

/** The path and query of the operation for this place. */
function targetOf({ path, parameters }: Operation, place: Place, tokenId: string): string {
  const ids: Record<string, string> = {
    ...{ name: place.name, attachmentId: place.attachmentId, deliveryId: place.deliveryId },
    messageId: place.messageId,
    section: path.endsWith('/message') ? '3' : '1',
    id: path.includes('/webhooks/')
      ? place.webhookId
      : path.includes('/smtp-credentials/')
        ? place.credentialId
        : path.includes('/tokens/')
          ? tokenId
          : place.messageId,
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? '');
  const values: Record<string, string> = {
    ...{ label: place.label, claimId: place.claimId, with: place.messageId },
    ...{ expires: '1', signature: 'x' }, // of an attachment link, which has expired
  };
  const query = parameters.flatMap(({ name, in: where }) =>
    where === 'query' && values[name] !== undefined ? [`${name}=${values[name]}`] : [],
  );
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
}

/** The body of the operation for this place; undefined if it takes none. */
function bodyOf({ id, path, method, takesMail }: Operation, place: Place): unknown {
  if (takesMail) return 'From: a@b.example\r\nSubject: s\r\n\r\n';
  const [key = '', value = ''] = place.label.split(':');
  const labels = { [key]: value };
  switch (id) {
    case 'createMailbox':
      return { labels };
    case 'createMailboxes':
      return { count: 1, labels };
    case 'changeMailbox':
      return { maxMessages: 5 };
    case 'claimMessages':
      return { timeout: 0 };
    case 'extendClaim':
      return { claimId: place.claimId, expiresIn: 60 };
    case 'sendMessage':
      return { to: [`${place.name}@one.test`], subject: 's' };
    case 'replyToMessage':
      return { kind: 'forward', to: [`${place.name}@one.test`] };
    default:
      return exampleBody(path, method);
  }
}

function exampleBody(path: string, method: string): unknown {
  const operation = document.paths[path]?.[method.toLowerCase()] as
    { requestBody?: { content: Record<string, Media> } } | undefined;
  const media = operation?.requestBody?.content['application/json'];
  return media && [...examplesOf(media).values()][0];
}
