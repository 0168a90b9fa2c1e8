/**
 * The queue of heavy mail for the parsing child processes, fair to the workspaces of the recipients
 * (fair-queue.ts). Mail is parsed in the quick lane first; mail that exceeds its time limit gets a
 * turn in the slow lane. The slow lane has at most one child, so a child for the quick lane becomes
 * free within 2 s, independent of the mail and of the number of workspaces.
 *
 * Waiting mail occupies a job slot of the worker, but its bytes are not in memory. The slots are
 * shared by workspaces (fair-semaphore.ts). Mail without a slot is requeued with a delay.
 */
import { type Queued, openFairQueue } from '../limits/fair-queue.ts';
import { type FairSemaphore, openFairSemaphore } from '../limits/fair-semaphore.ts';
import { type RequeuePace, openRequeuedMail } from './requeued-mail.ts';

const CHILDREN = 2;

/**
 * Limit of the quick lane: two mails of half this size, or a single larger one. Each mail is in
 * memory several times. Mail in the slow lane does not count.
 */
const QUICK_BYTES_AT_ONCE = 32 * 1024 * 1024;

/** Share of the jobs that a worker runs concurrently. */
const QUICK_PART = 0.2;
const SLOW_PART = 0.05;
const QUICK_PACE = { intervalMs: 5, graceMs: 30_000 };
/** A turn in the slow lane takes up to 25 s. */
const SLOW_PACE = { intervalMs: 100, graceMs: 90_000 };

export type ParseLane = 'quick' | 'slow';

export interface HeavyMail {
  readonly ingestId: string;
  readonly workspaceIds: readonly string[];
  /** Bytes. */
  readonly size: number;
  /** Whether it waits until no other suspect is being parsed. */
  readonly isSuspect: boolean;
}

export type Admission =
  | {
      kind: 'turn';
      /** Ends the turn. */
      release: () => void;
    }
  | {
      kind: 'requeue';
      /** Milliseconds until the job is to run again. */
      delayMs: number;
    };

export interface HeavyMailQueue {
  /** Resolves when the mail gets its turn, or at once if it gets no slot to wait in. */
  acquire: (mail: HeavyMail, lane: ParseLane) => Promise<Admission>;
  /** Workspaces of a mail that this process has requeued. */
  requeued: (ingestId: string) => readonly string[] | undefined;
}

interface Waiting {
  readonly mail: HeavyMail;
  readonly begin: () => void;
}

interface RequeuedEntry {
  readonly id: string;
  readonly owner: string;
  readonly workspaceIds: readonly string[];
}

interface LaneState {
  readonly queue: ReturnType<typeof openFairQueue<Waiting>>;
  readonly slots: FairSemaphore;
  readonly requeued: ReturnType<typeof openRequeuedMail<RequeuedEntry>>;
  running: number;
  runningBytes: number;
}

/**
 * @param concurrency number of jobs that the worker runs concurrently.
 * @param now a monotonic clock in milliseconds.
 */
export function openHeavyMailQueue(
  concurrency: number,
  now = () => performance.now(),
): HeavyMailQueue {
  const lanes: Record<ParseLane, LaneState> = {
    quick: newLane(Math.max(2, Math.ceil(concurrency * QUICK_PART)), QUICK_PACE),
    slow: newLane(Math.max(2, Math.floor(concurrency * SLOW_PART)), SLOW_PACE),
  };
  const { quick, slow } = lanes;
  let runningSuspects = 0;

  const isEligible = ({ mail }: Waiting) => !mail.isSuspect || runningSuspects === 0;
  const hasChild = () => quick.running + slow.running < CHILDREN;

  const begin = (lane: LaneState, queued: Queued<Waiting>) => {
    lane.queue.start(queued);
    lane.running += 1;
    lane.runningBytes += weightOf(queued);
    if (queued.item.mail.isSuspect) runningSuspects += 1;
    queued.item.begin();
  };

  const startEligible = () => {
    // Turns of the quick lane are short, so the slow lane is served first if it has no child.
    const nextSlow = slow.running === 0 && hasChild() ? slow.queue.next(isEligible) : undefined;
    if (nextSlow) begin(slow, nextSlow);
    while (hasChild()) {
      const next = quick.queue.next(isEligible);
      if (!next) return;
      if (quick.running > 0 && quick.runningBytes + weightOf(next) > QUICK_BYTES_AT_ONCE) return;
      begin(quick, next);
    }
  };

  const end = (lane: LaneState, queued: Queued<Waiting>, since: number) => {
    lane.queue.end(queued.owner, now() - since);
    lane.slots.release(queued.owner);
    lane.running -= 1;
    lane.runningBytes -= weightOf(queued);
    if (queued.item.mail.isSuspect) runningSuspects -= 1;
    startEligible();
  };

  return {
    async acquire(mail, name) {
      const lane = lanes[name];
      const { ingestId: id, workspaceIds, size } = mail;
      for (const { requeued } of [quick, slow]) requeued.remove(id);
      const owner = largestHolder(workspaceIds, lane);
      if (!lane.slots.acquire(owner)) {
        return { kind: 'requeue', delayMs: lane.requeued.add({ id, owner, workspaceIds }) };
      }
      const queued = await new Promise<Queued<Waiting>>((resolve) => {
        const entry = {
          owner,
          size,
          item: {
            mail,
            begin: () => {
              resolve(entry);
            },
          },
        };
        lane.queue.add(entry);
        startEligible();
      });
      const since = now();
      return {
        kind: 'turn',
        release: () => {
          end(lane, queued, since);
        },
      };
    },
    requeued: (ingestId) =>
      (quick.requeued.find(ingestId) ?? slow.requeued.find(ingestId))?.workspaceIds,
  };
}

function newLane(slots: number, pace: RequeuePace): LaneState {
  return {
    queue: openFairQueue<Waiting>(),
    slots: openFairSemaphore(slots),
    requeued: openRequeuedMail<RequeuedEntry>(pace),
    running: 0,
    runningBytes: 0,
  };
}

function weightOf({ size }: Queued<Waiting>): number {
  return Math.max(size, QUICK_BYTES_AT_ONCE / CHILDREN);
}

/**
 * A mail for several workspaces counts for the one with the most slots, so it gains none through
 * the others.
 */
function largestHolder(workspaceIds: readonly string[], { slots }: LaneState): string {
  return workspaceIds.reduce(
    (most, id) => (slots.heldBy(id) > slots.heldBy(most) ? id : most),
    workspaceIds[0] ?? '',
  );
}
