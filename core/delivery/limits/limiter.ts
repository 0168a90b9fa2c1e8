/**
 * Which receivers a process may call now. Each receiver has a circuit breaker. Calls to receivers whose breaker is
 * closed are in one bulkhead; trials of unproven receivers and of those whose breaker is half-open are in another, so
 * that receivers that hang never take the places of the healthy ones. Known bad receivers leave a part of the second
 * bulkhead to unproven ones.
 */
import { LRUCache } from 'lru-cache';
import { Bulkhead, type Owner, type Parts } from './bulkhead.js';
import { type CallOutcome, CircuitBreaker } from './circuit-breaker.js';
import { RequeueDelays } from './requeue-delay.js';

/** The parts of the calls under way; the bulkheads overlap, and their sum is limited as well. */
const HEALTHY_PART = 7 / 8;
const TRIAL_PART = 5 / 8;

const HEALTHY: Parts = { all: 1, workspace: 3 / 4, mailbox: 3 / 4 };
const UNPROVEN: Parts = { all: 1, workspace: 3 / 4, mailbox: 3 / 8 };
const KNOWN_BAD: Parts = { all: 3 / 4, workspace: 1 / 2, mailbox: 3 / 8 };

/** Trials of a receiver about which nothing is known; the second one only where known bad receivers get a place. */
const UNPROVEN_TRIALS = 2;

const WAIT_MS = 50;
/** So many deliveries of one receiver wait in the process; the others are put back at once. */
const MAX_WAITING = 20;
const MAX_BREAKERS = 10_000;

const LARGE_BYTES = 1024 * 1024;

export interface Limits {
  /** Calls under way. */
  capacity: number;
  /** Calls under way to one receiver whose breaker is closed. */
  perReceiver: number;
}

/** Deliveries with large bodies have a limiter of their own: each stays in memory while its receiver takes it. */
export const LARGE_LIMITS: Limits = { capacity: 4, perReceiver: 2 };

export const smallLimits = (capacity: number): Limits => ({ capacity, perReceiver: 10 });

/** Gives a place back; with null when nothing was sent. */
export type Release = (outcome: CallOutcome | null) => void;

export type Acquired =
  { kind: 'acquired'; release: Release } | { kind: 'refused'; delayMs: number };

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
  readonly #receivers = new LRUCache<string, Receiver>({ max: MAX_BREAKERS });
  readonly #waiting = new Set<() => void>();
  readonly #delays = new RequeueDelays();

  /**
   * @param fallback has the breakers that those of receivers not known here start as.
   * @param now a clock in milliseconds that never goes back.
   */
  constructor(limits: Limits, fallback?: DeliveryLimiter, now = () => performance.now()) {
    this.#limits = limits;
    this.#fallback = fallback;
    this.#now = now;
    this.#healthy = new Bulkhead(Math.max(1, Math.floor(limits.capacity * HEALTHY_PART)));
    this.#trials = new Bulkhead(Math.ceil(limits.capacity * TRIAL_PART));
  }

  /**
   * Acquires a place for one call. A delivery to a receiver that is not known to be bad waits for up to 50 ms; a
   * delivery that finds no place is to be put back for `delayMs`.
   */
  async acquire(owner: Owner): Promise<Acquired> {
    const receiver = this.#receiverOf(owner.webhookId);
    const { breaker } = receiver;
    const release = this.#take(owner, breaker) ?? (await this.#wait(owner, receiver));
    if (release) return { kind: 'acquired', release };
    const now = this.#now();
    const calls = this.#isKnownBad(breaker) ? 1 : this.#limits.perReceiver;
    const delayMs = this.#delays.next(receiver.line, breaker.callMs(now) / calls, now);
    return { kind: 'refused', delayMs: Math.max(delayMs, Math.ceil(breaker.openMs(now))) };
  }

  /** The breaker of a receiver, where it is remembered. */
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

  #isKnownBad(breaker: CircuitBreaker): boolean {
    return breaker.state(this.#now()) !== 'closed' && !breaker.isUnproven;
  }

  #take(owner: Owner, breaker: CircuitBreaker): Release | null {
    if (this.#healthy.taken + this.#trials.taken >= this.#limits.capacity) return null;
    const now = this.#now();
    const state = breaker.state(now);
    const isClosed = state === 'closed';
    const trials = breaker.isUnproven ? UNPROVEN_TRIALS : 1;
    if (state === 'open' || breaker.underWay >= (isClosed ? this.#limits.perReceiver : trials)) {
      return null;
    }
    const bulkhead = isClosed ? this.#healthy : this.#trials;
    const trial = breaker.isUnproven && breaker.underWay === 0 ? UNPROVEN : KNOWN_BAD;
    if (!bulkhead.acquire(owner, isClosed ? HEALTHY : trial)) return null;
    const end = breaker.start(now);
    return (outcome) => {
      bulkhead.release(owner);
      end(outcome, this.#now());
      // Those who wait come first: a delivery that asks later must not overtake them.
      for (const retry of this.#waiting) retry();
    };
  }

  #wait(owner: Owner, receiver: Receiver): Promise<Release | null> | null {
    const { breaker } = receiver;
    if (this.#isKnownBad(breaker) || receiver.waiting >= MAX_WAITING) return null;
    return new Promise((resolve) => {
      const settle = (release: Release | null) => {
        clearTimeout(timer);
        this.#waiting.delete(retry);
        receiver.waiting -= 1;
        resolve(release);
      };
      const retry = () => {
        const release = this.#take(owner, breaker);
        if (release) settle(release);
      };
      const timer = setTimeout(settle, WAIT_MS, null);
      this.#waiting.add(retry);
      receiver.waiting += 1;
    });
  }
}

/** @param bodyBytes the bytes of the message's texts. */
export function limiterFor(
  limiters: { limiter: DeliveryLimiter; largeLimiter: DeliveryLimiter },
  bodyBytes: number,
): DeliveryLimiter {
  return bodyBytes > LARGE_BYTES ? limiters.largeLimiter : limiters.limiter;
}
