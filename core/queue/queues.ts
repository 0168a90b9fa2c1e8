/**
 * The producer side of BullMQ: one queue per job contract, opened on first use over a fail-fast
 * client, so that adding a job fails at once while Redis is unavailable.
 */
import { Queue } from 'bullmq';
import type { RedisClient } from '../redis/client.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { ENDLESS, type JobContract, type ScheduledJobContract } from './job-contract.ts';

/** Maximum length of a queue's event stream, which Mayfly does not read. */
const MAX_EVENTS = 100;

export type Presence = 'missing' | 'finished' | 'scheduled' | 'unsure';

export interface Queues {
  /**
   * Adds a job; durable once resolved. `jobId` makes a repeated call harmless. The Redis command is
   * issued early enough to share the caller's round trip. Jobs with a higher `priority` number run
   * later, those without one first.
   * @throws {AppError} `unavailable` if Redis is unavailable.
   */
  enqueue: <Payload>(
    job: JobContract<Payload>,
    payload: Payload,
    jobId: string,
    priority?: number,
  ) => Promise<void>;
  /**
   * Adds a job that does not run before the returned function has resolved, or `delayMs` later if
   * it is not called. The function rejects if the job is lost.
   * @throws {AppError} `unavailable` if Redis is unavailable.
   */
  hold: <Payload>(
    job: JobContract<Payload>,
    payload: Payload,
    jobId: string,
    priority: number,
    delayMs: number,
  ) => Promise<() => Promise<void>>;
  /**
   * Adds many jobs atomically. Jobs with a higher `priority` number run later; no job runs before
   * its delay.
   */
  enqueueAll: <Payload>(
    job: JobContract<Payload>,
    items: { payload: Payload; jobId: string; priority: number; delayMs: number }[],
  ) => Promise<void>;
  /**
   * State of a job: `waiting`, `active`, `delayed`, `completed`, `failed` or another state of
   * BullMQ; `unknown` if it does not exist.
   */
  stateOf: <Payload>(job: JobContract<Payload>, jobId: string) => Promise<string>;
  /**
   * Which of these jobs exist, read in one round trip. `scheduled`: they wait with a priority or a
   * delay. `unsure`: they are in one of the lists that only `stateOf` searches, or in none.
   */
  presence: <Payload>(
    job: JobContract<Payload>,
    jobIds: string[],
  ) => Promise<Map<string, Presence>>;
  /** Removes a job unless a worker is running it. */
  discard: <Payload>(job: JobContract<Payload>, jobId: string) => Promise<void>;
  /** Creates or updates the schedule of a job. Can be repeated, also from several processes. */
  schedule: (job: ScheduledJobContract) => Promise<void>;
  /** Whether a job with this id exists, in any state. */
  has: (job: { name: string }, jobId: string) => Promise<boolean>;
  /**
   * The BullMQ queue, ready for use. Callers must not close it.
   * @throws {AppError} `unavailable` if Redis is unavailable, or the error of opening it.
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
        // The connection is shared and logs its faults itself.
        if (redis.status !== 'ready') return;
        log.warn('queue error', { queue: name, fault: error.message });
      });
      queues.set(name, queue);
      dropIfBroken(queue);
    }
    return queue;
  };

  /**
   * A BullMQ queue whose first commands failed stays broken, so the next caller opens a new one.
   */
  const dropIfBroken = (queue: Queue) => {
    queue.waitUntilReady().catch(async () => {
      queues.delete(queue.name);
      await queue.close().catch(() => undefined); // otherwise it keeps its listeners on the connection
    });
  };

  return {
    async enqueue(job, payload, jobId, priority = 0) {
      await queueOf(job.name).add(job.name, payload, { ...job.options, jobId, priority });
    },
    async hold(job, payload, jobId, priority, delayMs) {
      const options = { ...job.options, jobId, priority, delay: delayMs };
      const added = await queueOf(job.name).add(job.name, payload, options);
      return () => added.promote();
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
    async presence(job, jobIds) {
      const queue = queueOf(job.name);
      const isIn = (set: string, id: string) => redis.zscore(queue.toKey(set), id);
      const found = await Promise.all(
        jobIds.map(async (id): Promise<[string, Presence]> => {
          const [[timestamp, finishedOn], ...scores] = await Promise.all([
            redis.hmget(queue.toKey(id), 'timestamp', 'finishedOn'),
            isIn('prioritized', id),
            isIn('delayed', id),
          ]);
          if (timestamp === null) return [id, 'missing'];
          if (finishedOn !== null) return [id, 'finished'];
          return [id, scores.some((score) => score !== null) ? 'scheduled' : 'unsure'];
        }),
      );
      return new Map(found);
    },
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
