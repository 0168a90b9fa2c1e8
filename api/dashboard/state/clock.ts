/** The time, as what is shown of it changes. */
import { computed, signal } from '@preact/signals';

const TICK_MS = 1000;
const COARSE_MS = 15_000;

/** Ticks each second. */
export const now = signal(Date.now());

/** Ticks rarely: for "4 min ago", of which there are many on a page. */
export const coarseNow = computed(() => Math.floor(now.value / COARSE_MS) * COARSE_MS + COARSE_MS);

setInterval(() => {
  now.value = Date.now();
}, TICK_MS);
