/**
 * Limits the concurrent requests of a process. Each receiver has a circuit breaker. Requests to
 * receivers with a closed breaker are in one bulkhead; trials of unproven receivers and of
 * half-open breakers are in another, so receivers that hang do not take the places of healthy ones.
 * Known bad receivers leave a part of the second bulkhead to unproven ones.
 */
import { boundedCache } from '../../bounded-cache.ts';
import { Bulkhead, type Owner, type Parts } from './bulkhead.ts';
import { type CallOutcome, CircuitBreaker } from './circuit-breaker.ts';
import { RequeueDelays } from './requeue-delay.ts';

/** Parts of the capacity. The bulkheads overlap, and their sum is limited too. */
const HEALTHY_PART = 7 / 8;
const TRIAL_PART = 5 / 8;

const HEALTHY: Parts = { all: 1, workspace: 3 / 4, mailbox: 3 / 4 };
const UNPROVEN: Parts = { all: 1, workspace: 3 / 4, mailbox: 3 / 8 };
const KNOWN_BAD: Parts = { all: 3 / 4, workspace: 1 / 2, mailbox: 3 / 8 };

/** Trials of an unproven receiver; the second one only if known bad receivers get a place. */
const UNPROVEN_TRIALS = 2;

/** Waiting time of a delivery to a healthy receiver: the shortest delay of a requeued one. */
const HEALTHY_WAIT_MS = 250;
const UNPROVEN_WAIT_MS = 50;
/**
 * Deliveries of one receiver that wait in the process, and the part of the capacity for all; others
 * are requeued.
 */
const MAX_WAITING = 20;
const WAITING_PART = 1 / 2;
const MAX_BREAKERS = 10_000;

const LARGE_BYTES = 1024 * 1024;

export interface Limits {
  /** Concurrent requests. */
  capacity: number;
  /** Concurrent requests to one receiver with a closed breaker. */
  perReceiver: number;
}

/**
 * Deliveries with large bodies have a separate limiter, because each body stays in memory during
 * its request.
 */
export const LARGE_LIMITS: Limits = { capacity: 4, perReceiver: 2 };

export const smallLimits = (capacity: number): Limits => ({ capacity, perReceiver: 10 });

/** A place for one request. */
export interface Place {
  kind: 'acquired';
  /** Starts the time of the receiver. */
  startTimer: () => void;
  /** Milliseconds since then. */
  elapsedMs: () => number;
  /** Releases the place, once; `outcome` is null if nothing was sent. */
  release: (outcome: CallOutcome | null) => void;
}

export interface Refused {
  kind: 'refused';
  delayMs: number;
}

interface Receiver {
  breaker: CircuitBreaker;
  waiting: number;
  line: { endsAt: number };
}

export class DeliveryLimiter {
  readonly #limits: Limits;
  readonly #fallback: DeliveryLimiter | undefined;
  readonly #now: () => number;
  readonly #healthy: Bulkhead;
  readonly #trials: Bulkhead;
  readonly #receivers = boundedCache<Receiver>(MAX_BREAKERS);
  readonly #waiting = new Set<() => void>();
  readonly #delays = new RequeueDelays();

  /**
   * @param now a monotonic clock in milliseconds.
   * @param fallback the limiter whose breakers initialize those of unknown receivers.
   */
  constructor(limits: Limits, now: () => number, fallback?: DeliveryLimiter) {
    this.#limits = limits;
    this.#fallback = fallback;
    this.#now = now;
    this.#healthy = new Bulkhead(Math.max(1, Math.floor(limits.capacity * HEALTHY_PART)));
    this.#trials = new Bulkhead(Math.ceil(limits.capacity * TRIAL_PART));
  }

  /**
   * Acquires a place for one request. A delivery to a receiver that is not known to be bad waits
   * for up to 250 ms. A delivery without a place is to be requeued with the delay `delayMs`.
   */
  async acquire(owner: Owner): Promise<Place | Refused> {
    const receiver = this.#receiverOf(owner.webhookId);
    const { breaker } = receiver;
    return (
      this.#take(owner, breaker) ?? (await this.#wait(owner, receiver)) ?? this.#refuse(receiver)
    );
  }

  /**
   * Refuses a delivery to a receiver that is known to be bad and gets no call now. The decision
   * needs no row of the delivery. Null if the receiver can be called.
   */
  refuseKnownBad(webhookId: string): Refused | null {
    const receiver = this.#receivers.get(webhookId);
    if (!receiver) return null;
    const { breaker } = receiver;
    return this.#isKnownBad(breaker) && !this.#mayCall(breaker) ? this.#refuse(receiver) : null;
  }

  #refuse({ breaker, line }: Receiver): Refused {
    const now = this.#now();
    // One slow request to a healthy receiver must not delay its other deliveries by that time each.
    const { perReceiver } = this.#limits;
    const calls = breaker.isHealthy ? perReceiver : breaker.isUnproven ? UNPROVEN_TRIALS : 1;
    const delayMs = this.#delays.next(line, breaker.callMs(now) / calls, now);
    return { kind: 'refused', delayMs: Math.max(delayMs, Math.ceil(breaker.openMs(now))) };
  }

  /** The breaker of a known receiver. */
  breakerOf(webhookId: string): CircuitBreaker | undefined {
    return this.#receivers.peek(webhookId)?.breaker;
  }

  #receiverOf(webhookId: string): Receiver {
    const known = this.#receivers.get(webhookId);
    if (known) return known;
    const breaker = new CircuitBreaker(this.#fallback?.breakerOf(webhookId));
    const receiver = { breaker, waiting: 0, line: { endsAt: 0 } };
    this.#receivers.set(webhookId, receiver);
    return receiver;
  }

  /**
   * An unproven receiver counts as bad if its first request takes longer than a delivery would
   * wait.
   */
  #isKnownBad(breaker: CircuitBreaker): boolean {
    const now = this.#now();
    if (breaker.state(now) === 'closed') return false;
    return !breaker.isUnproven || breaker.callMs(now) > UNPROVEN_WAIT_MS;
  }

  /** Whether the breaker allows one more request. */
  #mayCall(breaker: CircuitBreaker): boolean {
    const state = breaker.state(this.#now());
    const trials = breaker.isUnproven ? UNPROVEN_TRIALS : 1;
    const calls = state === 'closed' ? this.#limits.perReceiver : trials;
    return state !== 'open' && breaker.underWay < calls;
  }

  #take(owner: Owner, breaker: CircuitBreaker): Place | null {
    if (this.#healthy.taken + this.#trials.taken >= this.#limits.capacity) return null;
    if (!this.#mayCall(breaker)) return null;
    const isClosed = breaker.state(this.#now()) === 'closed';
    const bulkhead = isClosed ? this.#healthy : this.#trials;
    const trial = breaker.isUnproven && breaker.underWay === 0 ? UNPROVEN : KNOWN_BAD;
    if (!bulkhead.acquire(owner, isClosed ? HEALTHY : trial)) return null;
    const call = breaker.start(this.#now());
    let isHeld = true;
    return {
      kind: 'acquired',
      startTimer: () => {
        call.since = this.#now();
      },
      elapsedMs: () => this.#now() - call.since,
      release: (outcome) => {
        if (!isHeld) return;
        isHeld = false;
        bulkhead.release(owner);
        breaker.end(call, outcome, this.#now());
        // Waiting deliveries come before later ones.
        for (const retry of this.#waiting) retry();
      },
    };
  }

  #wait(owner: Owner, receiver: Receiver): Promise<Place | null> | null {
    const { breaker } = receiver;
    if (this.#isKnownBad(breaker) || receiver.waiting >= MAX_WAITING) return null;
    if (this.#waiting.size >= this.#limits.capacity * WAITING_PART) return null;
    return new Promise((resolve) => {
      const settle = (place: Place | null) => {
        clearTimeout(timer);
        this.#waiting.delete(retry);
        receiver.waiting -= 1;
        resolve(place);
      };
      const retry = () => {
        const place = this.#take(owner, breaker);
        if (place) settle(place);
      };
      const timer = setTimeout(
        settle,
        breaker.isHealthy ? HEALTHY_WAIT_MS : UNPROVEN_WAIT_MS,
        null,
      );
      this.#waiting.add(retry);
      receiver.waiting += 1;
    });
  }
}

/** @param bodyBytes size of the text and HTML of the message in bytes. */
export function limiterFor(
  limiters: { limiter: DeliveryLimiter; largeLimiter: DeliveryLimiter },
  bodyBytes: number,
): DeliveryLimiter {
  return bodyBytes > LARGE_BYTES ? limiters.largeLimiter : limiters.limiter;
}
