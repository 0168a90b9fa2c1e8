/**
 * Milliseconds on a clock shared by all processes of a machine, so that their times are comparable.
 */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
