/**
 * The schema, once for both dialects.
 *
 * A mail is stored once and shows as a message in each mailbox that got it. A mail row outlives its
 * deleted messages, emptied, until it expires: its ingest id is what keeps a repeated job from bringing
 * a deleted mail back. Wide columns stand last, so that reading the others never touches their pages.
 */
import { isNotNull, isNull } from 'drizzle-orm';
import type { Columns } from './columns.sqlite.js';

/**
 * What became of a delivery. `pending` and `in_flight` ones are still owed; `held` ones wait for somebody
 * to release them; the others are over.
 */
export const deliveryStates = [
  'pending',
  'in_flight',
  'delivered',
  'abandoned',
  'held',
  'cancelled',
  'expired',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** How one attempt ended. */
export const attemptOutcomes = [
  'delivered',
  'http_error',
  'timeout',
  'dns_error',
  'connection_refused',
  'connection_failed',
  'tls_error',
  'blocked_address',
  'interrupted',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/**
 * Whether a database is ready for its instance: `copying` while another one's rows come in, `copied` once they are
 * all there, `live` from the first start of a process on.
 */
export type InstanceState = 'copying' | 'copied' | 'live';

export type Tables = ReturnType<typeof defineTables>;

export function defineTables(c: Columns) {
  /** One row: the instance that this database belongs to. */
  const instances = c.table('instances', {
    /** Always `this`, so that there is never a second row. */
    id: c.text('id').primaryKey(),
    instanceId: c.text('instance_id').notNull(),
    state: c.text('state').$type<InstanceState>().notNull(),
  });

  const workspaces = c.table('workspaces', {
    id: c.text('id').primaryKey(),
    name: c.text('name').notNull(),
    domain: c.text('domain').notNull().unique(),
    plan: c.text('plan').$type<'free' | 'pro'>().notNull(),
    createdAt: c.time('created_at').notNull(),
  });

  const tokens = c.table(
    'tokens',
    {
      id: c.text('id').primaryKey(),
      workspaceId: c
        .text('workspace_id')
        .notNull()
        .references(() => workspaces.id),
      name: c.text('name').notNull(),
      prefix: c.text('prefix').notNull(),
      /** HMAC of the whole token under the key named here, hexadecimal. */
      hash: c.text('hash').notNull().unique(),
      keyId: c.text('key_id').notNull(),
      role: c.text('role').$type<'reader' | 'member' | 'admin'>().notNull(),
      lastUsedAt: c.time('last_used_at'),
      createdAt: c.time('created_at').notNull(),
      revokedAt: c.time('revoked_at'),
    },
    (t) => [c.index('tokens_by_workspace').on(t.workspaceId)],
  );

  const mailboxes = c.table(
    'mailboxes',
    {
      id: c.text('id').primaryKey(),
      workspaceId: c
        .text('workspace_id')
        .notNull()
        .references(() => workspaces.id),
      name: c.text('name').notNull(),
      createdAt: c.time('created_at').notNull(),
      /** Set at deletion; the row goes once its messages are purged. */
      deletedAt: c.time('deleted_at'),
    },
    (t) => [
      c.uniqueIndex('mailboxes_live_name').on(t.workspaceId, t.name).where(isNull(t.deletedAt)),
    ],
  );

  const smtpCredentials = c.table(
    'smtp_credentials',
    {
      id: c.text('id').primaryKey(),
      mailboxId: c
        .text('mailbox_id')
        .notNull()
        .references(() => mailboxes.id),
      name: c.text('name').notNull(),
      /** Unique over all workspaces: a client that logs in says nothing else. */
      username: c.text('username').notNull().unique(),
      /** SHA-256 of the password, hexadecimal. */
      passwordHash: c.text('password_hash').notNull(),
      /** When this password was made; orders the rotations of one credential. */
      passwordSetAt: c.time('password_set_at').notNull(),
      /** To the minute. */
      lastUsedAt: c.time('last_used_at'),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [c.index('smtp_credentials_by_mailbox').on(t.mailboxId)],
  );

  const mails = c.table(
    'mails',
    {
      id: c.text('id').primaryKey(),
      ingestId: c.text('ingest_id').notNull().unique(),
      fromAddress: c.text('from_address').notNull(),
      fromName: c.text('from_name'),
      /** Addresses of the To header; empty when the mail has none. */
      to: c.list('to_addresses').notNull(),
      cc: c.list('cc_addresses').notNull(),
      subject: c.text('subject').notNull(),
      messageIdHeader: c.text('message_id_header'),
      /** Bytes of the raw mail. */
      size: c.integer('size').notNull(),
      attachmentCount: c.integer('attachment_count').notNull(),
      /** What went wrong reading the mail, where only part of it could be read. */
      parseError: c.text('parse_error'),
      expiresAt: c.time('expires_at').notNull(),
      /** The raw source: here up to 1 MiB, else in the blob of this key. */
      rawBlobKey: c.text('raw_blob_key'),
      text: c.text('text_body'),
      html: c.text('html_body'),
      raw: c.bytes('raw'),
    },
    (t) => [c.index('mails_by_expiry').on(t.expiresAt)],
  );

  const messages = c.table(
    'messages',
    {
      id: c.text('id').primaryKey(),
      mailId: c
        .text('mail_id')
        .notNull()
        .references(() => mails.id),
      mailboxId: c
        .text('mailbox_id')
        .notNull()
        .references(() => mailboxes.id),
      tag: c.text('tag'),
      /** The envelope recipient that brought the mail here. */
      recipient: c.text('recipient').notNull(),
      receivedAt: c.time('received_at').notNull(),
      expiresAt: c.time('expires_at').notNull(),
      /** Bytes of text and HTML together, so that a page can be cut before they are read. */
      bodyBytes: c.integer('body_bytes').notNull(),
      /** MAIL FROM, empty for the null sender; null for mail stored before it was kept. */
      envelopeFrom: c.text('envelope_from'),
      /** Of caught mail, all envelope recipients that this message shows; null for one that was addressed here. */
      envelopeTo: c.list('envelope_to'),
    },
    (t) => [
      // A page is read from it alone: with the rows beside it, one of 100 takes three times as long.
      c.index('messages_by_mailbox').on(t.mailboxId, t.receivedAt, t.id, t.expiresAt, t.bodyBytes),
      // And the counts from this one, of half its size: to count all of 10,000 mailboxes takes a third less.
      c.index('messages_by_expiry').on(t.mailboxId, t.expiresAt),
      c.index('messages_by_mail').on(t.mailId),
    ],
  );

  /** One row for each envelope recipient of a caught message. */
  const caughtRecipients = c.table(
    'caught_recipients',
    {
      /** The message's id and the place in its envelope. */
      id: c.text('id').primaryKey(),
      messageId: c.text('message_id').notNull(),
      mailboxId: c.text('mailbox_id').notNull(),
      /** In the form in which addresses are compared. */
      address: c.text('address').notNull(),
      receivedAt: c.time('received_at').notNull(),
      expiresAt: c.time('expires_at').notNull(),
    },
    (t) => [
      c
        .index('caught_recipients_by_address')
        .on(t.mailboxId, t.address, t.receivedAt, t.messageId, t.expiresAt),
      c.index('caught_recipients_by_message').on(t.messageId),
    ],
  );

  const attachments = c.table(
    'attachments',
    {
      id: c.text('id').primaryKey(),
      mailId: c
        .text('mail_id')
        .notNull()
        .references(() => mails.id),
      /** Place among the mail's attachments, from 0. */
      position: c.integer('position').notNull(),
      filename: c.text('filename'),
      contentType: c.text('content_type').notNull(),
      size: c.integer('size').notNull(),
      /** What `cid:` links of the mail call it. */
      contentId: c.text('content_id'),
      /** Where the bytes lie when they are larger than 1 MiB. */
      blobKey: c.text('blob_key'),
      content: c.bytes('content'),
    },
    (t) => [c.index('attachments_by_mail').on(t.mailId, t.position)],
  );

  const webhooks = c.table(
    'webhooks',
    {
      id: c.text('id').primaryKey(),
      mailboxId: c
        .text('mailbox_id')
        .notNull()
        .references(() => mailboxes.id),
      url: c.text('url').notNull(),
      active: c.flag('active').notNull(),
      /** Why and since when it is not active. */
      pausedReason: c.text('paused_reason').$type<'failing' | 'gone' | 'manual'>(),
      pausedAt: c.time('paused_at'),
      /** The first failed attempt since the last success. */
      failingSince: c.time('failing_since'),
      /** Deliveries abandoned since the last success. */
      abandonedInARow: c.integer('abandoned_in_a_row').notNull().default(0),
      /** To the minute. */
      lastSuccessAt: c.time('last_success_at'),
      /** Sealed under the keyring, bound to this row. */
      secret: c.text('secret').notNull(),
      /** The secret before the last rotation, which signs too until then. */
      previousSecret: c.text('previous_secret'),
      previousSecretUntil: c.time('previous_secret_until'),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [c.index('webhooks_by_mailbox').on(t.mailboxId)],
  );

  /**
   * One message owed to one webhook. The row is the truth, and written with the message; its job is but an
   * alarm clock. It refers to webhook and message by their ids alone, since the log outlives both.
   */
  const deliveries = c.table(
    'deliveries',
    {
      id: c.text('id').primaryKey(),
      webhookId: c.text('webhook_id').notNull(),
      messageId: c.text('message_id').notNull(),
      trigger: c.text('trigger').$type<'event' | 'manual' | 'test'>().notNull(),
      /** The delivery that this one repeats by hand. */
      redeliveryOf: c.text('redelivery_of'),
      state: c.text('state').$type<DeliveryState>().notNull(),
      /** Why it is in this state, where there is more to say. */
      reason: c.text('reason'),
      /** Attempts begun, the interrupted ones included. */
      attempts: c.integer('attempts').notNull(),
      /** Failed attempts that count against the retry schedule. */
      failures: c.integer('failures').notNull(),
      /** Attempts whose process died. */
      interruptions: c.integer('interruptions').notNull(),
      /** When the next attempt is due, or was when one is in flight; null once nothing is owed. */
      nextAttemptAt: c.time('next_attempt_at'),
      /** Who makes the attempt in flight, and until when nobody else may. */
      leaseToken: c.text('lease_token'),
      leaseUntil: c.time('lease_until'),
      createdAt: c.time('created_at').notNull(),
      finishedAt: c.time('finished_at'),
    },
    (t) => [
      c.index('deliveries_by_webhook').on(t.webhookId, t.id),
      c.index('deliveries_by_state').on(t.webhookId, t.state, t.id),
      c.index('deliveries_by_message').on(t.messageId),
      c.index('deliveries_owed').on(t.nextAttemptAt, t.id).where(isNotNull(t.nextAttemptAt)),
    ],
  );

  const deliveryAttempts = c.table(
    'delivery_attempts',
    {
      id: c.text('id').primaryKey(),
      deliveryId: c
        .text('delivery_id')
        .notNull()
        .references(() => deliveries.id),
      /** 1 for the delivery's first. */
      number: c.integer('number').notNull(),
      startedAt: c.time('started_at').notNull(),
      /** How long after it was due. */
      queueDelayMs: c.integer('queue_delay_ms').notNull(),
      url: c.text('url').notNull(),
      /** Null while it is under way. */
      outcome: c.text('outcome').$type<AttemptOutcome>(),
      durationMs: c.integer('duration_ms'),
      statusCode: c.integer('status_code'),
      payloadBytes: c.integer('payload_bytes'),
      /** What Retry-After asked for. */
      retryAfterMs: c.integer('retry_after_ms'),
      nextAttemptAt: c.time('next_attempt_at'),
      /** The beginning of the response body. */
      excerpt: c.text('excerpt'),
    },
    (t) => [c.uniqueIndex('delivery_attempts_by_delivery').on(t.deliveryId, t.number)],
  );

  // Those that others refer to come first.
  return {
    instances,
    workspaces,
    tokens,
    mailboxes,
    smtpCredentials,
    mails,
    messages,
    caughtRecipients,
    attachments,
    webhooks,
    deliveries,
    deliveryAttempts,
  };
}
