/**
 * The producers' side of BullMQ: one queue per job definition, opened on first use over the caller's
 * fail-fast client, so that adding a job fails at once while Redis is away instead of happening later.
 */
import { Queue } from 'bullmq';
import type { RedisClient } from '../core/redis.js';
import { AppError } from '../core/errors.js';
import type { Logger } from '../core/log.js';
import { type AnyJob, type DefinedJob, ENDLESS } from './job.js';

/** Entries kept in a queue's event stream, which nothing of ours reads back. */
const EVENTS_KEPT = 100;

export interface Queues {
  /**
   * Adds a job, durably once resolved; `jobId` makes a repeat of it harmless. Its Redis command is
   * issued soon enough after the call to share the caller's round trip.
   * @throws {AppError} `unavailable` while Redis is away.
   */
  enqueue: <Payload>(job: DefinedJob<Payload>, payload: Payload, jobId: string) => Promise<void>;
  /** The same for many jobs, all or none of them; those of a higher `priority` number come later, none before its delay. */
  enqueueAll: <Payload>(
    job: DefinedJob<Payload>,
    items: { payload: Payload; jobId: string; priority: number; delayMs: number }[],
  ) => Promise<void>;
  /** Where a job is: `waiting`, `active`, `delayed`, `completed`, `failed` or so; `unknown` for nowhere. */
  stateOf: <Payload>(job: DefinedJob<Payload>, jobId: string) => Promise<string>;
  /** Takes a job out again, unless somebody works on it already. */
  discard: <Payload>(job: DefinedJob<Payload>, jobId: string) => Promise<void>;
  /** Keeps the job's repetition going; safe to call again and from several processes. */
  schedule: (job: DefinedJob<Record<string, never>>) => Promise<void>;
  /** Whether a job with this id is still queued, worked on or kept. */
  has: <Payload>(job: DefinedJob<Payload>, jobId: string) => Promise<boolean>;
  /**
   * BullMQ's own queue, ready for use, for those who look into it. It stays ours to close.
   * @throws {AppError} `unavailable` while Redis is away, or what opening it failed with.
   */
  open: (job: AnyJob) => Promise<Queue>;
  close: () => Promise<void>;
}

export function openQueues(redis: RedisClient, prefix: string, log: Logger): Queues {
  const queues = new Map<string, Queue>();

  const queueOf = (name: string) => {
    if (redis.status !== 'ready') {
      throw new AppError('unavailable', 'The queue cannot be reached at the moment.');
    }
    let queue = queues.get(name);
    if (!queue) {
      queue = new Queue(name, {
        connection: redis,
        prefix,
        streams: { events: { maxLen: EVENTS_KEPT } },
      });
      queue.on('error', (error) => {
        // The connection is shared, and tells its own faults, once for all queues.
        if (redis.status !== 'ready') return;
        log.warn('queue fault', { queue: name, fault: error.message });
      });
      queues.set(name, queue);
      forgetIfBroken(queue);
    }
    return queue;
  };

  /** A queue whose first commands failed stays broken for good: the next caller opens a new one. */
  const forgetIfBroken = (queue: Queue) => {
    queue.waitUntilReady().catch(async () => {
      queues.delete(queue.name);
      await queue.close().catch(() => undefined); // or it would listen to the connection for ever
    });
  };

  return {
    async enqueue(job, payload, jobId) {
      await queueOf(job.name).add(job.name, payload, { ...job.options, jobId });
    },
    async enqueueAll(job, items) {
      await queueOf(job.name).addBulk(
        items.map(({ payload, jobId, priority, delayMs }) => ({
          name: job.name,
          data: payload,
          opts: { ...job.options, jobId, priority, delay: delayMs },
        })),
      );
    },
    stateOf: (job, jobId) => queueOf(job.name).getJobState(jobId),
    async discard(job, jobId) {
      await queueOf(job.name).remove(jobId);
    },
    async schedule(job) {
      if (job.every === undefined) throw new Error(`${job.name} does not repeat`);
      await queueOf(job.name).upsertJobScheduler(
        job.name,
        { every: job.every },
        { name: job.name, data: {}, opts: { ...job.options, attempts: ENDLESS } },
      );
    },
    has: async (job, jobId) => (await queueOf(job.name).getJob(jobId)) !== undefined,
    async open(job) {
      const queue = queueOf(job.name);
      await queue.waitUntilReady();
      return queue;
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
