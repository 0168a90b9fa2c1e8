/**
 * For how long a delivery without a place is put back. The deliveries of one receiver come back one after the other, as
 * often as the receiver ends a call. Beyond half a minute no estimate is good: those deliveries of all receivers come
 * back at a fixed rate, so that asking again costs little however many they are.
 */
const MIN_DELAY_MS = 250;
const NEAR_MS = 30_000;
const FAR_GAP_MS = 10;

export class RequeueDelays {
  #farEndsAt = 0;

  /**
   * Milliseconds for one more delivery of a receiver.
   * @param line the time at which the receiver's last delivery comes back; updated.
   * @param gapMs the time between two calls of the receiver.
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
