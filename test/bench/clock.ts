/** Milliseconds on the one clock that all processes of a machine share, so that their times compare. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
