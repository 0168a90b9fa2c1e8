/** Between two notes of the use of one credential. */
export const USE_INTERVAL_MS = 60_000;
