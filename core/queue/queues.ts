/**
 * The producer side of BullMQ: one queue for each job contract, opened on first use over a fail-fast client, so adding
 * a job fails at once while Redis is away.
 */
import { Queue } from 'bullmq';
import type { RedisClient } from '../redis/client.js';
import { AppError } from '../errors.js';
import type { Logger } from '../log.js';
import { ENDLESS, type JobContract, type ScheduledJobContract } from './job-contract.js';

/** Entries of a queue's event stream, which Mayfly does not read. */
const MAX_EVENTS = 100;

export interface Queues {
  /**
   * Adds a job, durably once resolved; `jobId` makes a repeat of it harmless. Its Redis command is
   * issued soon enough after the call to share the caller's round trip.
   * @throws {AppError} `unavailable` while Redis is away.
   */
  enqueue: <Payload>(job: JobContract<Payload>, payload: Payload, jobId: string) => Promise<void>;
  /** The same for many jobs, all or none of them; those of a higher `priority` number come later, none before its delay. */
  enqueueAll: <Payload>(
    job: JobContract<Payload>,
    items: { payload: Payload; jobId: string; priority: number; delayMs: number }[],
  ) => Promise<void>;
  /** Where a job is: `waiting`, `active`, `delayed`, `completed`, `failed` or so; `unknown` for nowhere. */
  stateOf: <Payload>(job: JobContract<Payload>, jobId: string) => Promise<string>;
  /** Removes a job, unless a worker runs it already. */
  discard: <Payload>(job: JobContract<Payload>, jobId: string) => Promise<void>;
  /** Creates or updates the job's schedule; safe to repeat, and from several processes. */
  schedule: (job: ScheduledJobContract) => Promise<void>;
  /** Whether a job with this id is queued, active or kept. */
  has: <Payload>(job: JobContract<Payload>, jobId: string) => Promise<boolean>;
  /**
   * The BullMQ queue, ready for use. The caller does not close it.
   * @throws {AppError} `unavailable` while Redis is away, or what opening it failed with.
   */
  open: (job: { name: string }) => Promise<Queue>;
  close: () => Promise<void>;
}

export function openQueues(redis: RedisClient, prefix: string, log: Logger): Queues {
  const queues = new Map<string, Queue>();

  const queueOf = (name: string) => {
    if (redis.status !== 'ready') {
      throw new AppError(
        'unavailable',
        'The queue is temporarily unavailable. Retry in a few seconds.',
      );
    }
    let queue = queues.get(name);
    if (!queue) {
      queue = new Queue(name, {
        connection: redis,
        prefix,
        streams: { events: { maxLen: MAX_EVENTS } },
      });
      queue.on('error', (error) => {
        // The connection is shared and logs its own faults once.
        if (redis.status !== 'ready') return;
        log.warn('queue fault', { queue: name, fault: error.message });
      });
      queues.set(name, queue);
      dropIfBroken(queue);
    }
    return queue;
  };

  /** A BullMQ queue whose first commands failed stays broken: the next caller opens a new one. */
  const dropIfBroken = (queue: Queue) => {
    queue.waitUntilReady().catch(async () => {
      queues.delete(queue.name);
      await queue.close().catch(() => undefined); // otherwise it keeps its listeners on the connection
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
