/** Shortest time in milliseconds between two recorded uses of one credential. */
export const USE_INTERVAL_MS = 60_000;
