/**
 * A circuit breaker for one receiver. Closed: the receiver gets several concurrent requests.
 * Consecutive failures or slow responses open it; a slow request opens it before it ends. Open: no
 * request is sent for one second. Half-open: one trial at a time, whose success closes the breaker.
 * The breaker of a receiver without a response starts half-open.
 */
const BAD_CALLS_TO_OPEN = 3;
/** A longer request is slow, independent of the response. */
const SLOW_MS = 2000;
/**
 * Only a slow request leaves the breaker open for this time; a receiver that fails quickly holds no
 * place for long.
 */
const OPEN_MS = 1000;
/** The assumed duration of a request before the first one has ended. */
const FIRST_GUESS_MS = 50;

export type BreakerState = 'closed' | 'half-open' | 'open';

/** The outcome of a request; `durationMs` counts from the start of writing it. */
export interface CallOutcome {
  failed: boolean;
  durationMs: number;
}

export interface CallUnderWay {
  /**
   * The start of the attempt; after the connection is established, the start of writing the
   * request.
   */
  since: number;
}

export class CircuitBreaker {
  /** Whether the receiver has responded in time at least once. */
  #isProven = false;
  /** Number of consecutive failed or slow requests. */
  #badCalls = 0;
  #lastMs = FIRST_GUESS_MS;
  #openUntil = 0;
  readonly #calls = new Set<CallUnderWay>();

  /** @param other a breaker of the same receiver whose state this one starts with. */
  constructor(other?: CircuitBreaker) {
    if (!other) return;
    this.#isProven = other.#isProven;
    this.#badCalls = other.#badCalls;
  }

  /** Whether nothing is known about the receiver. */
  get isUnproven(): boolean {
    return !this.#isProven && this.#badCalls === 0;
  }

  /** Whether the last responses were good, independent of requests in progress. */
  get isHealthy(): boolean {
    return this.#isProven && this.#badCalls < BAD_CALLS_TO_OPEN;
  }

  get underWay(): number {
    return this.#calls.size;
  }

  state(now: number): BreakerState {
    if (this.isHealthy && this.#oldestMs(now) <= SLOW_MS) return 'closed';
    return now < this.#openUntil ? 'open' : 'half-open';
  }

  /** The expected duration of a request in milliseconds. */
  callMs(now: number): number {
    return Math.max(this.#lastMs, this.#oldestMs(now));
  }

  /** Milliseconds until an open breaker is half-open; 0 in the other states. */
  openMs(now: number): number {
    return this.state(now) === 'open' ? this.#openUntil - now : 0;
  }

  start(now: number): CallUnderWay {
    const call = { since: now };
    this.#calls.add(call);
    return call;
  }

  /** Records the end of a request; `outcome` is null if nothing was sent. */
  end(call: CallUnderWay, outcome: CallOutcome | null, now: number): void {
    if (this.#calls.delete(call) && outcome) this.#learn(outcome, now);
  }

  #learn({ failed, durationMs }: CallOutcome, now: number): void {
    this.#lastMs = durationMs;
    const isBad = failed || durationMs > SLOW_MS;
    this.#isProven ||= !isBad;
    this.#badCalls = isBad ? this.#badCalls + 1 : 0;
    if (isBad && durationMs > SLOW_MS) this.#openUntil = now + OPEN_MS;
  }

  #oldestMs(now: number): number {
    let oldest = now;
    for (const { since } of this.#calls) oldest = Math.min(oldest, since);
    return now - oldest;
  }
}
