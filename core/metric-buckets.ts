/** The bounds of histograms. */

/** Seconds, from a millisecond to the longest that anything here may take. */
export const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
/** Seconds, for what may wait for minutes. */
export const PATIENT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600, 3600];
