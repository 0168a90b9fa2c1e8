/**
 * Types of the contexts that the composition roots open. Functions declare the members that they
 * use.
 */
import type { GroupTransaction } from '../db/group-commit.ts';
import type { Store } from '../db/store.ts';
import type { Queues } from './queue/queues.ts';
import type { ReadGuard } from './queue/read-guard.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import type { Config } from './config/config.ts';
import type { CredentialDirectory } from './directory/credentials.ts';
import type { KnownRecipients, KnownCredentials } from './directory/tracked-cache.ts';
import type { RecipientDirectory } from './directory/recipients.ts';
import type { JobQuota } from './delivery/job-quota.ts';
import type { DeliveryLimiter } from './delivery/limits.ts';
import type { EventHub } from './events/hub.ts';
import type { EventPublisher } from './events/history.ts';
import type { Cryptography, Keyring } from './secrets/keyring.ts';
import type { Logger } from './log.ts';
import type { MetricReports } from './metrics/shared-reports.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { MailWriter } from './ingest/writer.ts';
import type { Reading } from './mime/reading.ts';
import type { ParsePool } from './mime/parser-pool.ts';
import type { WeightedSemaphore } from './limits/weighted-semaphore.ts';
import type { RateLimits } from './limits/rate-limit.ts';
import type { GuessLimit } from './limits/recipient-guesses.ts';
import type { MailIntake } from './intake/intake.ts';
import type { MailSpool } from './intake/spool.ts';
import type { RedisClient } from './redis/client.ts';
import type { Replication } from './redis/replication.ts';
import type { Resolve } from './egress/dns.ts';
import type { BrowserSessions } from './auth/browser-sessions.ts';
import type { TokenUse } from './auth/token-use.ts';

/** What every process works with: Redis and the blob store, no database. */
export interface SharedContext {
  readonly config: Config;
  readonly log: Logger;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  readonly redis: RedisClient;
  readonly blobs: BlobStore;
  readonly queues: Queues;
  readonly directory: RecipientDirectory;
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
  readonly knownRecipients: KnownRecipients;
  /** Credentials of clients that have logged in, which need no lookup. */
  readonly knownCredentials: KnownCredentials;
  readonly guessLimit: GuessLimit;
}

/** The context of web, worker and scripts. */
export interface Context extends SharedContext {
  /** Id of the instance that the database, Redis and the blob store belong to. */
  readonly instanceId: string;
  readonly store: Store;
  /** Keeps mails that end processes from the jobs that read mail. */
  readonly readGuard: ReadGuard;
  readonly secrets: { readonly keyring: Keyring; readonly crypto: Cryptography };
  readonly auth: { readonly sessions: BrowserSessions; readonly tokenUse: TokenUse };
  readonly events: EventServices;
  readonly ingest: IngestServices;
  readonly delivery: DeliveryServices;
}

export interface EventServices {
  /** Publishes live events. */
  readonly publisher: EventPublisher;
  /** Distributes live events to the event streams of this process. */
  readonly hub: EventHub;
}

export interface IngestServices {
  readonly writer: MailWriter;
  readonly parsePool: ParsePool;
  /** Work on the content of mail that requests wait for. */
  readonly reading: Reading;
  /** Limits the load of light mail that is stored at the same time. */
  readonly lightLimit: WeightedSemaphore;
  /** Limits the bytes of heavy mail that is stored at the same time. */
  readonly heavyLimit: WeightedSemaphore;
}

export interface DeliveryServices {
  /** Group transactions for claims and results of deliveries. */
  readonly writer: GroupTransaction;
  readonly limiter: DeliveryLimiter;
  /** Limits deliveries with large bodies. */
  readonly largeLimiter: DeliveryLimiter;
  /** Limits the jobs of each workspace. */
  readonly quota: JobQuota;
  /** Resolves the host name of a receiver. */
  readonly resolve: Resolve;
}

export interface Overrides {
  now?: () => number;
  crypto?: Cryptography;
  resolve?: Resolve;
  /** Time limit of a Redis command in milliseconds; `REDIS_TIMEOUT_MS` when absent. */
  redisCommandTimeoutMs?: number;
  /** Estimated milliseconds of parsing within one turn of the event loop; 40 when absent. */
  inlineParseMs?: number;
  /** Path of the program that parses heavy mail; the one beside this process when absent. */
  parserChild?: string;
}
