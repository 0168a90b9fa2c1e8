/**
 * Types of the contexts that the composition roots open. Functions declare the members that they
 * use.
 */
import type { GroupCommit } from '../db/group-commit.js';
import type { GroupTransaction } from '../db/group-transaction.js';
import type { MailRows, StoreResult } from '../db/statements/mails.js';
import type { Store } from '../db/store.js';
import type { Queues } from './queue/queues.js';
import type { BlobStore } from './blobs/blob-store.js';
import type { Config } from './config/config.js';
import type { CredentialDirectory } from './smtp-credentials/credential-directory.js';
import type { KnownRecipients } from './mailboxes/known-recipients.js';
import type { KnownCredentials } from './smtp-credentials/known-credentials.js';
import type { Directory } from './mailboxes/recipient-directory.js';
import type { DeliveryLimiter } from './delivery/limits/limiter.js';
import type { EventHub } from './events/hub.js';
import type { EventPublisher } from './events/publisher.js';
import type { HeavyMailQueue } from './ingest/heavy-mail-queue.js';
import type { Cryptography, Keyring } from './secrets/keyring.js';
import type { Logger } from './log.js';
import type { MetricReports } from './metrics/shared-reports.js';
import type { Metrics } from './metrics/metrics.js';
import type { ParsePool } from './mime/parser-pool.js';
import type { PoisonRecord } from './ingest/poison-record.js';
import type { RateLimits } from './limits/rate-limit.js';
import type { MailIntake } from './ingest/mail-intake.js';
import type { MailSpool } from './ingest/mail-spool.js';
import type { RedisClient } from './redis/client.js';
import type { Replication } from './redis/replication.js';
import type { Resolve } from './egress/dns.js';
import type { BrowserSessions } from './auth/browser-sessions.js';
import type { TokenUse } from './auth/last-used.js';

/** What every process works with: Redis and the blob store, no database. */
export interface SharedContext {
  readonly config: Config;
  readonly log: Logger;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  readonly redis: RedisClient;
  readonly blobs: BlobStore;
  readonly queues: Queues;
  readonly directory: Directory;
  readonly credentials: CredentialDirectory;
  readonly mailSpool: MailSpool;
  readonly rateLimits: RateLimits;
  /** Metrics of this process, and the reports of all. */
  readonly metrics: Metrics & { readonly reports: MetricReports };
  readonly close: () => Promise<void>;
}

/** The context of the SMTP process. */
export interface FrontContext extends SharedContext {
  readonly replication: Replication;
  readonly intake: MailIntake;
  /** Recipients that need no lookup. */
  readonly recipients: KnownRecipients;
  /** Credentials of clients that have logged in, which need no lookup. */
  readonly knownCredentials: KnownCredentials;
}

/** The context of web, worker and scripts. */
export interface Context extends SharedContext {
  /** Id of the instance that the database, Redis and the blob store belong to. */
  readonly instanceId: string;
  readonly store: Store;
  readonly secrets: { readonly keyring: Keyring; readonly crypto: Cryptography };
  readonly auth: { readonly sessions: BrowserSessions; readonly tokenUse: TokenUse };
  readonly events: EventParts;
  readonly ingest: IngestParts;
  readonly delivery: DeliveryParts;
}

export interface EventParts {
  /** Publishes live events. */
  readonly publisher: EventPublisher;
  /** Distributes live events to the event streams of this process. */
  readonly hub: EventHub;
}

export interface IngestParts {
  readonly writer: GroupCommit<MailRows, StoreResult>;
  readonly parsePool: ParsePool;
  /** Heavy mail that waits for a parsing child process. */
  readonly heavyMailQueue: HeavyMailQueue;
  readonly poison: PoisonRecord;
}

export interface DeliveryParts {
  /** Group transactions for claims and results of deliveries. */
  readonly writer: GroupTransaction;
  readonly limiter: DeliveryLimiter;
  /** Limits deliveries with large bodies. */
  readonly largeLimiter: DeliveryLimiter;
  /** Resolves the host name of a receiver. */
  readonly resolve: Resolve;
}

export interface Overrides {
  now?: () => number;
  crypto?: Cryptography;
  resolve?: Resolve;
  /** Time limit of a Redis command in milliseconds; `REDIS_TIMEOUT_MS` when absent. */
  redisCommandTimeoutMs?: number;
}
