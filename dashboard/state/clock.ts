/** The current time as signals. */
import { computed, signal } from '@preact/signals';

const TICK_MS = 1000;
const COARSE_MS = 15_000;

/** Updated each second. */
export const now = signal(Date.now());

/** Updated every COARSE_MS, for relative times, of which a page has many. */
export const coarseNow = computed(() => Math.floor(now.value / COARSE_MS) * COARSE_MS + COARSE_MS);

setInterval(() => {
  now.value = Date.now();
}, TICK_MS);
