/**
 * A circuit breaker for one receiver. Closed: the receiver answers in time and gets several calls at once. Consecutive
 * failures or slow answers open it, and so does a call that is still under way when it is slow. Open: no call is made
 * for a second. Half-open: one trial at a time; its success closes the breaker. A receiver that has not answered yet
 * starts half-open.
 */
const BAD_CALLS_TO_OPEN = 3;
/** A call that takes longer is slow, whatever the answer. */
const SLOW_MS = 2000;
/** A receiver that fails soon holds no place for long: only a slow call leaves the breaker open for this time. */
const OPEN_MS = 1000;
/** The assumed time of a call before the first one has ended. */
const FIRST_GUESS_MS = 50;

export type BreakerState = 'closed' | 'half-open' | 'open';

/** The outcome of a call; `durationMs` is the receiver's time, from the start of writing the request. */
export interface CallOutcome {
  failed: boolean;
  durationMs: number;
}

export interface CallUnderWay {
  /** The start of the call, or of writing the request once the connection stands. */
  since: number;
}

export class CircuitBreaker {
  /** Whether it has answered in time once. */
  #isProven = false;
  /** Consecutive failed or slow calls. */
  #badCalls = 0;
  #lastMs = FIRST_GUESS_MS;
  #openUntil = 0;
  readonly #calls = new Set<CallUnderWay>();

  /** @param other a breaker of the same receiver whose verdict this one starts with. */
  constructor(other?: CircuitBreaker) {
    if (!other) return;
    this.#isProven = other.#isProven;
    this.#badCalls = other.#badCalls;
  }

  /** Whether nothing is known about the receiver. */
  get isUnproven(): boolean {
    return !this.#isProven && this.#badCalls === 0;
  }

  /** Whether its last answers were good, whatever the calls under way show. */
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

  /** The expected time of a call in milliseconds. */
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

  /** Notes the end of a call; `outcome` is null when nothing was sent. */
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
    return Math.max(0, ...[...this.#calls].map(({ since }) => now - since));
  }
}
