/**
 * Limits the concurrent requests of a process, so that receivers that hang do not take the places
 * of others. A receiver is `new` before its first result, `proven` while its requests succeed
 * within 2 s, and `failing` otherwise. A new receiver is failing, and its place counts as one of
 * the failing ones, as soon as its first request takes longer than 50 ms. Each kind has a share of
 * the places, of which one workspace uses at most 3/4.
 */
import { boundedCache } from '../bounded-cache.ts';

export interface LimiterKeys {
  webhookId: string;
  mailboxId: string;
  workspaceId: string;
}

type Kind = 'proven' | 'new' | 'failing';

/**
 * Parts of the places. Failing receivers also use the share of new ones, so proven receivers keep a
 * quarter of the places however many others hang.
 */
const SHARES = { proven: 3 / 4, unproven: 3 / 4, failing: 1 / 4 };
type Share = keyof typeof SHARES;
const SHARES_OF: Record<Kind, Share[]> = {
  proven: ['proven'],
  new: ['unproven'],
  failing: ['unproven', 'failing'],
};
const WORKSPACE_PART = 3 / 4;

/** Consecutive failed or slow requests after which a proven receiver is failing. */
const BAD_REQUESTS_TO_FAIL = 3;
/** A longer request is slow, independent of the response. */
const SLOW_MS = 2000;
/** Time without requests to a failing receiver after a slow one. */
const PAUSE_MS = 1000;
/**
 * The time for which a delivery to a proven or new receiver waits for a place. The first is also
 * the shortest delay of a requeued delivery, the second the assumed duration of a first request.
 */
const WAIT_MS = 250;
const NEW_WAIT_MS = 50;
/** A receiver is failing while a request takes longer. */
const HANGING_MS: Record<Kind, number> = { proven: SLOW_MS, new: NEW_WAIT_MS, failing: Infinity };
/** Deliveries of one receiver that wait; and those of all, as a part of the places. */
const MAX_WAITING = 20;
const WAITING_PART = 1 / 2;
/**
 * Beyond this delay no estimate is reliable: those deliveries of all receivers return at a fixed
 * rate, which limits the cost of retries.
 */
const FAR_MS = 30_000;
const FAR_GAP_MS = 10;
const MAX_RECEIVERS = 10_000;

export interface Limits {
  /** Concurrent requests. */
  capacity: number;
  /** Concurrent requests to one proven receiver. */
  perReceiver: number;
}

/** Large bodies have a separate limiter, because each stays in memory during its request. */
export const LARGE_LIMITS: Limits = { capacity: 4, perReceiver: 2 };
export const smallLimits = (capacity: number): Limits => ({ capacity, perReceiver: 10 });

/** The result of a request; `durationMs` counts from the start of writing it. */
export interface RequestResult {
  failed: boolean;
  durationMs: number;
}

export interface RequestSlot {
  kind: 'acquired';
  /** Starts the time of the receiver. */
  startTimer: () => void;
  /** Milliseconds since then. */
  elapsedMs: () => number;
  /** Releases the place, once; `result` is null if nothing was sent. */
  release: (result: RequestResult | null) => void;
}

export interface LimiterRefusal {
  kind: 'refused';
  delayMs: number;
}

interface Receiver {
  /** Whether a request has succeeded in time at least once. */
  isProven: boolean;
  /** Number of consecutive failed or slow requests. */
  badRequests: number;
  lastMs: number;
  pausedUntil: number;
  /** The requests in progress. */
  requests: Set<{ since: number }>;
  waiting: number;
  /** When the last of its requeued deliveries returns. */
  queueEndsAt: number;
}

type Results = Readonly<Pick<Receiver, 'isProven' | 'badRequests'>>;

export class DeliveryLimiter {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #fallback: DeliveryLimiter | undefined;
  readonly #receivers = boundedCache<Receiver>(MAX_RECEIVERS);
  /** Those with requests in progress or waiting, which the cache can drop meanwhile. */
  readonly #inUse = new Map<string, Receiver>();
  /** Number of places in use: of all, of a share, and of an owner in a share. */
  readonly #used = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #farQueueEndsAt = 0;

  /**
   * @param now a monotonic clock in milliseconds.
   * @param fallback the limiter whose results initialize the receivers that are unknown here.
   */
  constructor(limits: Limits, now: () => number, fallback?: DeliveryLimiter) {
    this.#limits = limits;
    this.#now = now;
    this.#fallback = fallback;
  }

  /**
   * Acquires a place for one request. A delivery to a receiver that is not failing waits for up to
   * 250 ms. A delivery without a place is to be requeued with the delay `delayMs`.
   */
  async acquire(owner: LimiterKeys): Promise<RequestSlot | LimiterRefusal> {
    const receiver = this.#receiverOf(owner.webhookId);
    this.#inUse.set(owner.webhookId, receiver);
    const place = this.#tryAcquire(owner, receiver) ?? (await this.#wait(owner, receiver));
    this.#keep(owner, receiver);
    return place ?? this.#refuse(receiver);
  }

  /**
   * Refuses a delivery to a failing receiver that gets no request now. The decision needs no row of
   * the delivery. Null if the receiver can get a request.
   */
  refuseFailing(webhookId: string): LimiterRefusal | null {
    const receiver = this.#knownReceiver(webhookId);
    if (!receiver || this.#kindOf(receiver) !== 'failing') return null;
    return this.#allowsRequest(receiver) ? null : this.#refuse(receiver);
  }

  /** The results of a known receiver. */
  resultsOf(webhookId: string): Results | undefined {
    return this.#receivers.peek(webhookId);
  }

  #receiverOf(webhookId: string): Receiver {
    const known = this.#knownReceiver(webhookId);
    if (known) return known;
    const { isProven = false, badRequests = 0 } = this.#fallback?.resultsOf(webhookId) ?? {};
    const receiver: Receiver = {
      ...{ isProven, badRequests, lastMs: NEW_WAIT_MS, pausedUntil: 0 },
      ...{ requests: new Set(), waiting: 0, queueEndsAt: 0 },
    };
    this.#receivers.set(webhookId, receiver);
    return receiver;
  }

  #knownReceiver(webhookId: string): Receiver | undefined {
    return this.#receivers.get(webhookId) ?? this.#inUse.get(webhookId);
  }

  #keep({ webhookId }: LimiterKeys, receiver: Receiver): void {
    this.#receivers.set(webhookId, receiver);
    if (receiver.requests.size === 0 && receiver.waiting === 0) this.#inUse.delete(webhookId);
  }

  #kindOf(receiver: Receiver): Kind {
    const kind = kindByResults(receiver);
    return this.#oldestMs(receiver) > HANGING_MS[kind] ? 'failing' : kind;
  }

  #allowsRequest(receiver: Receiver): boolean {
    if (this.#now() < receiver.pausedUntil) return false;
    const kind = kindByResults(receiver);
    if (kind === 'proven' && this.#kindOf(receiver) !== kind) return false;
    return receiver.requests.size < this.#requestsAtOnce(kind);
  }

  #requestsAtOnce(kind: Kind): number {
    return { proven: this.#limits.perReceiver, new: 2, failing: 1 }[kind];
  }

  #tryAcquire(owner: LimiterKeys, receiver: Receiver): RequestSlot | null {
    if (!this.#allowsRequest(receiver)) return null;
    const kind = this.#kindOf(receiver);
    // The second request of a new receiver does not take the place of another new one.
    const isFirst = kind === 'new' && receiver.requests.size === 0;
    const shares = SHARES_OF[isFirst || kind === 'proven' ? kind : 'failing'];
    const bounds = [
      ['all', this.#limits.capacity] as const,
      ...shares.flatMap((share) => this.#boundsOf(share, owner)),
    ];
    if (bounds.some(([key, most]) => (this.#used.get(key) ?? 0) >= most)) return null;
    const counted = bounds.map(([key]) => this.#count(key, 1));
    const moveToFailing = () => {
      for (const [key] of this.#boundsOf('failing', owner)) counted.push(this.#count(key, 1));
    };
    const hanging = isFirst ? setTimeout(moveToFailing, NEW_WAIT_MS) : undefined;
    const request = { since: this.#now() };
    receiver.requests.add(request);
    return {
      kind: 'acquired',
      startTimer: () => {
        request.since = this.#now();
      },
      elapsedMs: () => this.#now() - request.since,
      release: (result) => {
        if (!receiver.requests.delete(request)) return;
        clearTimeout(hanging);
        for (const key of counted) this.#count(key, -1);
        if (result) this.#record(receiver, result);
        this.#keep(owner, receiver);
        // Waiting deliveries come before later ones.
        for (const retry of this.#waiting) retry();
      },
    };
  }

  /**
   * The numbers of places of a share that all, the workspace and the mailbox can use. A mailbox
   * with new or failing receivers leaves as many places to the others of its workspace as it uses.
   */
  #boundsOf(share: Share, { workspaceId, mailboxId }: LimiterKeys): [key: string, most: number][] {
    const ofWorkspace = `${share} ${workspaceId}`;
    const most = (part: number) => Math.max(1, Math.floor(this.#limits.capacity * part));
    const mostOfWorkspace = most(SHARES[share] * WORKSPACE_PART);
    const free = mostOfWorkspace - (this.#used.get(ofWorkspace) ?? 0);
    return [
      [share, most(SHARES[share])],
      [ofWorkspace, mostOfWorkspace],
      [`${share} ${mailboxId}`, share === 'proven' ? mostOfWorkspace : free],
    ];
  }

  #count(key: string, change: number): string {
    const used = (this.#used.get(key) ?? 0) + change;
    if (used > 0) this.#used.set(key, used);
    else this.#used.delete(key);
    return key;
  }

  #record(receiver: Receiver, { failed, durationMs }: RequestResult): void {
    const isSlow = durationMs > SLOW_MS;
    receiver.lastMs = durationMs;
    receiver.isProven ||= !failed && !isSlow;
    receiver.badRequests = failed || isSlow ? receiver.badRequests + 1 : 0;
    if (isSlow && kindByResults(receiver) === 'failing') {
      receiver.pausedUntil = this.#now() + PAUSE_MS;
    }
  }

  #wait(owner: LimiterKeys, receiver: Receiver): Promise<RequestSlot | null> | null {
    if (this.#kindOf(receiver) === 'failing' || receiver.waiting >= MAX_WAITING) return null;
    if (this.#waiting.size >= this.#limits.capacity * WAITING_PART) return null;
    return new Promise((resolve) => {
      const settle = (place: RequestSlot | null) => {
        clearTimeout(timer);
        this.#waiting.delete(retry);
        receiver.waiting -= 1;
        resolve(place);
      };
      const retry = () => {
        const place = this.#tryAcquire(owner, receiver);
        if (place) settle(place);
      };
      const timer = setTimeout(settle, receiver.isProven ? WAIT_MS : NEW_WAIT_MS, null);
      this.#waiting.add(retry);
      receiver.waiting += 1;
    });
  }

  /**
   * Deliveries of one receiver return one by one, at the rate at which its requests end. One slow
   * request to a proven receiver does not delay its other deliveries by that time each.
   */
  #refuse(receiver: Receiver): LimiterRefusal {
    const now = this.#now();
    const requestMs = Math.max(receiver.lastMs, this.#oldestMs(receiver));
    const gapMs = requestMs / this.#requestsAtOnce(kindByResults(receiver));
    let returnsAt = Math.max(receiver.queueEndsAt, now) + gapMs;
    if (returnsAt <= now + FAR_MS) {
      receiver.queueEndsAt = returnsAt;
    } else {
      this.#farQueueEndsAt = Math.max(this.#farQueueEndsAt, now + FAR_MS) + FAR_GAP_MS;
      returnsAt = this.#farQueueEndsAt;
    }
    returnsAt = Math.max(returnsAt, now + WAIT_MS, receiver.pausedUntil);
    return { kind: 'refused', delayMs: Math.ceil(returnsAt - now) };
  }

  /** Age of the oldest request in progress in milliseconds. */
  #oldestMs({ requests }: Receiver): number {
    let oldest = this.#now();
    for (const { since } of requests) oldest = Math.min(oldest, since);
    return this.#now() - oldest;
  }
}

/** The kind of a receiver by its results, independent of requests in progress. */
function kindByResults({ isProven, badRequests }: Results): Kind {
  if (badRequests === 0) return isProven ? 'proven' : 'new';
  return isProven && badRequests < BAD_REQUESTS_TO_FAIL ? 'proven' : 'failing';
}
