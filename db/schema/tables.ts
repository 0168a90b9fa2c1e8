/**
 * The schema of both dialects.
 *
 * A mail is stored once and appears as a message in each mailbox that received it. After its
 * messages are deleted, a mail row stays without content until it expires: its ingest id prevents a
 * repeated job from storing the mail again. Wide columns come last, so that reading the other
 * columns does not touch their pages.
 */
import { isNotNull, isNull, sql } from 'drizzle-orm';
import type { Columns } from './columns.sqlite.ts';
import type { MailDetails, MessageFacts } from './mail-facts.ts';

/**
 * State of a delivery. `pending` and `in_flight` deliveries have an attempt to come; `held` ones
 * wait until they are recovered; the others are final.
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

/** Outcome of one attempt. */
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
 * Progress of a move to this database: `copying` while rows are copied, `copied` when all rows are
 * present, `live` after the first start of a process.
 */
export type InstanceState = 'copying' | 'copied' | 'live';

export type Tables = ReturnType<typeof defineTables>;

export function defineTables(c: Columns) {
  /** One row: the instance that this database belongs to. */
  const instances = c.table('instances', {
    /** Always `this`, which limits the table to one row. */
    id: c.text('id').primaryKey(),
    instanceId: c.text('instance_id').notNull(),
    state: c.text('state').$type<InstanceState>().notNull(),
  });

  /** One row: the schema of this database, and which code can use it. */
  const schemaVersions = c.table('schema_versions', {
    /** Always `this`, which limits the table to one row. */
    id: c.text('id').primaryKey(),
    /** The number of migrations. */
    version: c.integer('version').notNull(),
    /** The number of migrations of the oldest code that can use the schema. */
    oldestCode: c.integer('oldest_code').notNull(),
  });

  const workspaces = c.table('workspaces', {
    id: c.text('id').primaryKey(),
    name: c.text('name').notNull(),
    domain: c.text('domain').notNull().unique(),
    plan: c.text('plan').$type<'free' | 'pro'>().notNull(),
    createdAt: c.time('created_at').notNull(),
  });

  /**
   * The number of the newest message of each workspace. A table of its own, because storing mail
   * locks the row, and every request reads that of its workspace.
   */
  const messageNumbers = c.table('message_numbers', {
    /** The id of the workspace. */
    id: c.text('id').primaryKey(),
    last: c.bigint('last').notNull(),
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
      /** HMAC of the whole token under the named key, hexadecimal. */
      hash: c.text('hash').notNull().unique(),
      keyId: c.text('key_id').notNull(),
      role: c.text('role').$type<'reader' | 'member' | 'admin'>().notNull(),
      lastUsedAt: c.time('last_used_at'),
      createdAt: c.time('created_at').notNull(),
      revokedAt: c.time('revoked_at'),
      /** Null for a token without an expiry. */
      expiresAt: c.time('expires_at'),
      /** The mailboxes of a narrow token: names, and labels as `key:value`; null for all. */
      mailboxes: c.list('mailboxes'),
    },
    (t) => [c.index('tokens_by_creation').on(t.workspaceId, t.id)],
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
      /** Set on deletion. The row is removed after its messages are purged. */
      deletedAt: c.time('deleted_at'),
      /** From this time the mailbox does not exist, whether or not a job has set `deletedAt`. */
      expiresAt: c.time('expires_at'),
      /** As shown; `mailbox_labels` has the same labels for lookups. Null for none. */
      labels: c.map('labels'),
      clientId: c.text('client_id'),
      /** Lifetime of messages in seconds; null for MESSAGE_TTL_MS. */
      messagesExpireIn: c.integer('messages_expire_in'),
      maxMessages: c.integer('max_messages'),
    },
    (t) => [
      c.uniqueIndex('mailboxes_live_name').on(t.workspaceId, t.name).where(isNull(t.deletedAt)),
      // For pages of the list: without it, each page of 100,000 mailboxes sorts all of them.
      c
        .index('mailboxes_by_creation')
        .on(t.workspaceId, t.createdAt, t.id)
        .where(isNull(t.deletedAt)),
      c
        .uniqueIndex('mailboxes_live_client')
        .on(t.workspaceId, t.clientId)
        .where(sql`${t.clientId} is not null and ${t.deletedAt} is null`),
      c
        .index('mailboxes_by_expiry')
        .on(t.expiresAt)
        .where(sql`${t.expiresAt} is not null and ${t.deletedAt} is null`),
      c
        .index('mailboxes_with_limits')
        .on(t.id)
        .where(sql`${t.messagesExpireIn} is not null or ${t.maxMessages} is not null`),
    ],
  );

  const mailboxLabels = c.table(
    'mailbox_labels',
    {
      /** The id of the mailbox and the key. */
      id: c.text('id').primaryKey(),
      mailboxId: c
        .text('mailbox_id')
        .notNull()
        .references(() => mailboxes.id),
      workspaceId: c.text('workspace_id').notNull(),
      key: c.text('key').notNull(),
      value: c.text('value').notNull(),
    },
    (t) => [
      c.index('mailbox_labels_by_value').on(t.workspaceId, t.key, t.value, t.mailboxId),
      c.index('mailbox_labels_by_mailbox').on(t.mailboxId),
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
      /** Unique across workspaces, because a client that logs in does not name its workspace. */
      username: c.text('username').notNull().unique(),
      /** SHA-256 of the password, hexadecimal. */
      passwordHash: c.text('password_hash').notNull(),
      /** Time at which the password was created; orders the passwords of one credential. */
      passwordSetAt: c.time('password_set_at').notNull(),
      /** Written at most once a minute. */
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
      /** Addresses of the To header; empty if the mail has none. */
      to: c.list('to_addresses').notNull(),
      cc: c.list('cc_addresses').notNull(),
      subject: c.text('subject').notNull(),
      messageIdHeader: c.text('message_id_header'),
      /** Size of the raw mail in bytes. */
      size: c.integer('size').notNull(),
      attachmentCount: c.integer('attachment_count').notNull(),
      /** The parse error, if only part of the mail could be parsed. */
      parseError: c.text('parse_error'),
      expiresAt: c.time('expires_at').notNull(),
      /** The raw source: in the row up to 1 MiB, otherwise in a blob with this key. */
      rawBlobKey: c.text('raw_blob_key'),
      text: c.text('text_body'),
      html: c.text('html_body'),
      raw: c.bytes('raw'),
      /**
       * Read for whole messages only, because it comes after the wide columns; null for mail that
       * an earlier version stored.
       */
      details: c.json<MailDetails>('details'),
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
      /** The envelope recipient through which the mailbox received the mail. */
      recipient: c.text('recipient').notNull(),
      receivedAt: c.time('received_at').notNull(),
      expiresAt: c.time('expires_at').notNull(),
      /** Bytes of text and HTML together, which limit a page before the bodies are read. */
      bodyBytes: c.integer('body_bytes').notNull(),
      /** MAIL FROM, empty for the null sender; null for mail that an earlier version stored. */
      envelopeFrom: c.text('envelope_from'),
      /** All envelope recipients of a caught message; null if the message is not caught. */
      envelopeTo: c.list('envelope_to'),
      /**
       * The start of the visible text; null for mail that an earlier version stored. It is here and
       * not in `mails`, where a new column comes after the wide ones.
       */
      preview: c.text('preview'),
      /**
       * The place of the message in the order in which those of its workspace were committed, from
       * 1. 0 for mail that was stored before there were numbers. A trigger numbers messages that a
       * process of an earlier version stores.
       */
      number: c.bigint('number').notNull().default(0),
      /**
       * That of the mailbox, for the index. A trigger sets it in messages that a process of an
       * earlier version stores.
       */
      workspaceId: c.text('workspace_id').notNull().default(''),
      /** Null for mail that an earlier version stored. Here for the same reason as `preview`. */
      facts: c.json<MessageFacts>('facts'),
    },
    (t) => [
      // A covering index for pages: reading the rows as well takes three times as long for a page
      // of 100.
      c.index('messages_by_mailbox').on(t.mailboxId, t.receivedAt, t.id, t.expiresAt, t.bodyBytes),
      // A smaller index for counts: counting all of 10,000 mailboxes takes a third less.
      c.index('messages_by_expiry').on(t.mailboxId, t.expiresAt),
      c.index('messages_by_mail').on(t.mailId),
      c.index('messages_by_number').on(t.mailboxId, t.number),
      c.index('messages_by_workspace').on(t.workspaceId, t.receivedAt, t.id),
      c.index('messages_by_workspace_number').on(t.workspaceId, t.number),
    ],
  );

  /** One row per envelope recipient of a caught message. */
  const caughtRecipients = c.table(
    'caught_recipients',
    {
      /** The id of the message and the index in its envelope. */
      id: c.text('id').primaryKey(),
      messageId: c.text('message_id').notNull(),
      mailboxId: c.text('mailbox_id').notNull(),
      /** In the form of `comparableAddress`. */
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

  /**
   * The last claim of a message. A claim without `expiresAt`, or before it, is live. There is no
   * foreign key, because a claim must not lock the row of a message; it is removed with the
   * message.
   */
  const claims = c.table(
    'claims',
    {
      messageId: c.text('message_id').primaryKey(),
      mailboxId: c.text('mailbox_id').notNull(),
      id: c.text('id').notNull().unique(),
      owner: c.text('owner'),
      /** End of the lease; null for a claim without one. */
      expiresAt: c.time('expires_at'),
      claimedAt: c.time('claimed_at').notNull(),
    },
    (t) => [c.index('claims_by_mailbox').on(t.mailboxId, t.expiresAt)],
  );

  const attachments = c.table(
    'attachments',
    {
      id: c.text('id').primaryKey(),
      mailId: c
        .text('mail_id')
        .notNull()
        .references(() => mails.id),
      /** Index among the attachments of the mail, from 0. */
      position: c.integer('position').notNull(),
      filename: c.text('filename'),
      contentType: c.text('content_type').notNull(),
      size: c.integer('size').notNull(),
      /** Content-ID, which `cid:` links in the mail refer to. */
      contentId: c.text('content_id'),
      /** Key of the blob with the content, if it is larger than 1 MiB. */
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
      /** Reason and time of the pause. */
      pausedReason: c.text('paused_reason').$type<'failing' | 'gone' | 'manual'>(),
      pausedAt: c.time('paused_at'),
      /** Time of the first failed attempt since the last success. */
      failingSince: c.time('failing_since'),
      /** Deliveries abandoned since the last success. */
      abandonedInARow: c.integer('abandoned_in_a_row').notNull().default(0),
      /** With a precision of one minute. */
      lastSuccessAt: c.time('last_success_at'),
      /** Sealed with the keyring and bound to this row. */
      secret: c.text('secret').notNull(),
      /** The secret before the last rotation. Requests are also signed with it until it expires. */
      previousSecret: c.text('previous_secret'),
      previousSecretUntil: c.time('previous_secret_until'),
      /** Additional parts of the payload; null for none. */
      include: c.list('include'),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [c.index('webhooks_by_mailbox').on(t.mailboxId)],
  );

  /**
   * A message to be delivered to a webhook. The row is written with the message and is
   * authoritative; its job only schedules the attempts. There are no foreign keys to webhook and
   * message, because the log outlives both.
   */
  const deliveries = c.table(
    'deliveries',
    {
      id: c.text('id').primaryKey(),
      webhookId: c.text('webhook_id').notNull(),
      messageId: c.text('message_id').notNull(),
      trigger: c.text('trigger').$type<'event' | 'manual' | 'test'>().notNull(),
      /** The delivery that this one repeats on request. */
      redeliveryOf: c.text('redelivery_of'),
      state: c.text('state').$type<DeliveryState>().notNull(),
      /** Details of the state. */
      reason: c.text('reason'),
      /** Attempts started, including interrupted ones. */
      attempts: c.integer('attempts').notNull(),
      /** Failed attempts that count against the retry schedule. */
      failures: c.integer('failures').notNull(),
      /** Attempts whose process died. */
      interruptions: c.integer('interruptions').notNull(),
      /** Due time of the next attempt, or of the attempt in flight; null in a final state. */
      nextAttemptAt: c.time('next_attempt_at'),
      /** Lease of the attempt in flight: its holder, and its end. */
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
      /** 1 for the first attempt. */
      number: c.integer('number').notNull(),
      startedAt: c.time('started_at').notNull(),
      /** Time between due and start. */
      queueDelayMs: c.integer('queue_delay_ms').notNull(),
      url: c.text('url').notNull(),
      /** Null while the attempt is in progress. */
      outcome: c.text('outcome').$type<AttemptOutcome>(),
      durationMs: c.integer('duration_ms'),
      statusCode: c.integer('status_code'),
      payloadBytes: c.integer('payload_bytes'),
      /** Value of the Retry-After header. */
      retryAfterMs: c.integer('retry_after_ms'),
      nextAttemptAt: c.time('next_attempt_at'),
      /** Start of the response body. */
      excerpt: c.text('excerpt'),
    },
    (t) => [c.uniqueIndex('delivery_attempts_by_delivery').on(t.deliveryId, t.number)],
  );

  /**
   * Mails that the search index does not have yet. A trigger of the database adds each stored mail.
   * There is no foreign key, because storing a mail must not take longer for it.
   */
  const searchPending = c.table('search_pending', {
    /** The id of the mail. */
    id: c.text('id').primaryKey(),
    /** Whether the mail cannot be indexed. Searches read it instead. */
    isSkipped: c.flag('is_skipped').notNull().default(false),
  });

  /**
   * Mails that the search index has. The words are in a virtual table on SQLite, and in a column of
   * this table on PostgreSQL; the migrations create both.
   */
  const searchEntries = c.table('search_entries', {
    /** The id of the mail. */
    id: c.text('id').primaryKey(),
    receivedAt: c.time('received_at').notNull(),
    /** Row of the virtual table, which sorts by arrival; null on PostgreSQL. */
    number: c.integer('number'),
  });

  // Referenced tables come first.
  return {
    instances,
    schemaVersions,
    workspaces,
    messageNumbers,
    tokens,
    mailboxes,
    mailboxLabels,
    smtpCredentials,
    mails,
    messages,
    caughtRecipients,
    claims,
    attachments,
    webhooks,
    deliveries,
    deliveryAttempts,
    searchPending,
    searchEntries,
  };
}
