/**
 * The resources of generated requests: mailboxes, messages, attachments, webhooks, deliveries and
 * tokens. Deleted ones are replaced. Requests name them by placeholders such as `<<message.3.id>>`,
 * so a generated request is readable, can be shrunk, and still refers to an existing resource.
 */
import { and, desc, eq, gt, isNull, or } from 'drizzle-orm';
import { insertIgnoring } from '../../../db/store.ts';
import { newId } from '../../../core/ids.ts';
import { attachmentUrl } from '../../../core/messages/signed-links.ts';
import { encodeCursor, encodeDeliveryCursor } from '../../../core/messages/cursor.ts';
import { createMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { createToken, revokeToken } from '../../../core/auth/tokens.ts';
import { registerWebhook } from '../../../core/webhooks/webhooks.ts';
import { createCredential } from '../../../core/smtp-credentials/smtp-credentials.ts';
import { createWorkspace } from '../../../core/workspaces/workspaces.ts';
import type { RawRequest } from '../clients/raw-http.ts';
import { attachmentMail } from '../mail/attachment-mail.ts';
import type { TestContext } from '../context/context.ts';
import { deliverMail } from '../context/deliver.ts';

type Thing = Record<string, string>;

/**
 * Kinds of resources, and the minimum number of each. Placeholders can name that many of the
 * newest.
 */
const LEAST = {
  ...{ mailbox: 4, message: 6, attachment: 2, webhook: 2, delivery: 2, token: 2 },
  ...{ credential: 2, claim: 1 },
};
type Kind = keyof typeof LEAST;
const NEWEST = 8;
const LASTING_MS = 600_000;

/** Whose token a request carries; placeholders are `<<bearer.0.NAME>>`. */
export const BEARERS = ['admin', 'member', 'reader', 'revoked', 'free'] as const;

export interface World {
  /** Creates missing resources. Must be called after each change. */
  renew: () => Promise<void>;
  /** Replaces the placeholders of a request by existing resources. */
  fill: (request: RawRequest) => RawRequest;
}

export async function openWorld({
  context,
  caller,
  workspace,
}: Omit<TestContext, 'close'>): Promise<World> {
  const { db } = context.store;
  const { mailboxes, messages, attachments, webhooks, deliveries, tokens } = db.t;
  const { smtpCredentials, claims } = db.t;
  const things = new Map<string, Thing[]>();
  const large = { name: 'large.bin', bytes: Buffer.alloc(1_048_577, 'large') };
  const small = { name: 'small.html', type: 'text/html', bytes: Buffer.from('<b>small</b>') };
  let made = 0;

  const mint = async (role: 'admin' | 'member' | 'reader') =>
    createToken(context, caller, { name: role, role });
  const bearers = async (): Promise<Thing> => {
    const [member, reader, revoked] = [
      await mint('member'),
      await mint('reader'),
      await mint('admin'),
    ];
    await revokeToken(context, caller, revoked.row.id);
    const free = await createWorkspace(context, { name: 'f', domain: 'free.test', plan: 'free' });
    return {
      admin: workspace.token,
      member: member.value,
      reader: reader.value,
      revoked: revoked.value,
      free: free.token,
    };
  };

  const someMailbox = () => things.get('mailbox')![made % 4]!.name!;
  /** Every second one encloses another mail. */
  const htmlMessage = () => {
    const mail = `Subject: ${made}\r\nContent-Type: text/html\r\n\r\n<p>${made}</p>`;
    const enclosing = `Content-Type: message/rfc822\r\n\r\n${mail}`;
    return deliverMail(context, [`${someMailbox()}@one.test`], made % 2 ? enclosing : mail);
  };
  const make: Record<Kind, () => Promise<unknown>> = {
    mailbox: () => createMailbox(context, caller, `box${made}`),
    message: () => htmlMessage(),
    attachment: () =>
      deliverMail(context, [`${someMailbox()}@one.test`], attachmentMail([large, small])),
    webhook: () => registerWebhook(context, caller, someMailbox(), 'https://hooks.example.com/'),
    delivery: async () => {
      const name = someMailbox();
      await registerWebhook(context, caller, name, 'https://hooks.example.com/');
      await deliverMail(context, [`${name}@one.test`], `Subject: ${made}\r\n\r\n${made}`);
    },
    token: () => createToken(context, caller, { name: 'victim', role: 'reader' }),
    credential: () => createCredential(context, caller, someMailbox(), 'app'),
    claim: async () => {
      const mail = await htmlMessage();
      const [message] = mail.messages;
      if (!message) throw new RangeError('no message stored');
      const claimedAt = new Date(context.now());
      const id = newId('claim', claimedAt.getTime());
      const of = { messageId: message.id, mailboxId: message.mailboxId };
      const row = { id, ...of, owner: null, expiresAt: null, claimedAt };
      await context.store.transaction((tx) => insertIgnoring(tx.t.claims, [row]));
    },
  };

  /** Mailboxes that outlast the test. */
  const ours = () => {
    const soon = new Date(context.now() + LASTING_MS);
    const lasting = or(isNull(mailboxes.expiresAt), gt(mailboxes.expiresAt, soon));
    return and(
      eq(mailboxes.workspaceId, caller.workspace.id),
      and(isNull(mailboxes.deletedAt), lasting),
    );
  };
  const see: Record<Kind, () => Promise<Thing[]>> = {
    mailbox: async () =>
      db
        .select({ name: mailboxes.name })
        .from(mailboxes)
        .where(ours())
        .orderBy(desc(mailboxes.id))
        .limit(NEWEST),
    message: async () =>
      (
        await db
          .select({ name: mailboxes.name, id: messages.id, receivedAt: messages.receivedAt })
          .from(messages)
          .innerJoin(mailboxes, eq(mailboxes.id, messages.mailboxId))
          .where(ours())
          .orderBy(desc(messages.id))
          .limit(NEWEST)
      ).map((row) => ({
        name: row.name,
        id: row.id,
        cursor: encodeCursor(row),
        since: row.receivedAt.toISOString(),
        section: '1',
      })),
    attachment: async () =>
      (
        await db
          .select({
            name: mailboxes.name,
            id: messages.id,
            attachmentId: attachments.id,
            size: attachments.size,
          })
          .from(attachments)
          .innerJoin(messages, eq(messages.mailId, attachments.mailId))
          .innerJoin(mailboxes, eq(mailboxes.id, messages.mailboxId))
          .where(ours())
          .orderBy(desc(attachments.id))
          .limit(NEWEST)
      ).map(({ name, id, attachmentId, size }) => {
        const link = attachmentUrl(context, id, { id: attachmentId, size });
        const query = link === null ? null : new URL(link).searchParams;
        return {
          name,
          id,
          attachmentId,
          messageId: id,
          expires: query?.get('expires') ?? '0',
          signature: query?.get('signature') ?? '',
        };
      }),
    webhook: async () =>
      db
        .select({ name: mailboxes.name, id: webhooks.id })
        .from(webhooks)
        .innerJoin(mailboxes, eq(mailboxes.id, webhooks.mailboxId))
        .where(ours())
        .orderBy(desc(webhooks.id))
        .limit(NEWEST),
    credential: async () =>
      db
        .select({ name: mailboxes.name, id: smtpCredentials.id })
        .from(smtpCredentials)
        .innerJoin(mailboxes, eq(mailboxes.id, smtpCredentials.mailboxId))
        .where(ours())
        .orderBy(desc(smtpCredentials.id))
        .limit(NEWEST),
    claim: async () =>
      db
        .select({ name: mailboxes.name, id: messages.id, claimId: claims.id })
        .from(claims)
        .innerJoin(messages, eq(messages.id, claims.messageId))
        .innerJoin(mailboxes, eq(mailboxes.id, messages.mailboxId))
        .where(and(ours(), isNull(claims.expiresAt)))
        .orderBy(desc(claims.id))
        .limit(1),
    delivery: async () =>
      (
        await db
          .select({ name: mailboxes.name, id: webhooks.id, deliveryId: deliveries.id })
          .from(deliveries)
          .innerJoin(messages, eq(messages.id, deliveries.messageId))
          .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
          .innerJoin(mailboxes, eq(mailboxes.id, webhooks.mailboxId))
          .where(and(ours(), eq(webhooks.active, true)))
          .orderBy(desc(deliveries.id))
          .limit(NEWEST)
      ).map((row) => ({ ...row, cursor: encodeDeliveryCursor(row.deliveryId) })),
    token: async () =>
      db
        .select({ id: tokens.id })
        .from(tokens)
        .where(and(eq(tokens.name, 'victim'), isNull(tokens.revokedAt)))
        .limit(NEWEST),
  };

  const links = () => things.get('attachment')!.filter(({ signature }) => signature !== '');
  const renew = async () => {
    for (const kind of Object.keys(LEAST) as Kind[]) {
      things.set(kind, await see[kind]());
      while (things.get(kind)!.length < LEAST[kind]) {
        made += 1;
        await make[kind]();
        things.set(kind, await see[kind]());
      }
    }
    while (links().length === 0) {
      made += 1;
      await make.attachment();
      things.set('attachment', await see.attachment());
    }
    things.set('link', links());
  };

  things.set('bearer', [await bearers()]);
  await renew();
  const fill = (text: string) =>
    text.replaceAll(/<<(\w+)\.(\d+)\.(\w+)>>/g, (_all, kind: string, n: string, field: string) => {
      const some = things.get(kind)!;
      return some[Number(n) % some.length]![field]!;
    });
  return {
    renew,
    fill: (request) => ({
      ...request,
      path: fill(request.path),
      headers: request.headers.map(([name, value]) => [name, fill(value)]),
      body: request.body === null ? null : fill(request.body),
    }),
  };
}
