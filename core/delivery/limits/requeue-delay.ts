/**
 * Computes the delay of deliveries without a place. Deliveries of one receiver return one by one,
 * at the rate at which the receiver ends requests. For delays beyond 30 s no estimate is reliable:
 * those deliveries of all receivers return at a fixed rate, which limits the cost of retries.
 */
const MIN_DELAY_MS = 250;
const NEAR_MS = 30_000;
const FAR_GAP_MS = 10;

export class RequeueDelays {
  #farEndsAt = 0;

  /**
   * Milliseconds until one more delivery of a receiver returns.
   * @param line return time of the last delivery of the receiver; updated.
   * @param gapMs time between two requests of the receiver.
   */
  next(line: { endsAt: number }, gapMs: number, now: number): number {
    const turn = Math.max(line.endsAt, now) + gapMs;
    if (turn <= now + NEAR_MS) {
      line.endsAt = turn;
      return Math.round(Math.max(turn - now, MIN_DELAY_MS));
    }
    this.#farEndsAt = Math.max(this.#farEndsAt, now + NEAR_MS) + FAR_GAP_MS;
    return Math.round(this.#farEndsAt - now);
  }
}
