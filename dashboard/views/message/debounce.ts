const WINDOW_MS = 300;
const PAUSE_MS = 180;

let last = -Infinity;

/**
 * Delays a call that follows another within 300 ms, so that a held key loads only the last message.
 */
export async function debounce(signal: AbortSignal): Promise<void> {
  const isRepeated = performance.now() - last < WINDOW_MS;
  last = performance.now();
  if (isRepeated) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  signal.throwIfAborted();
}
