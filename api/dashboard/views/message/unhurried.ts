const HURRY_MS = 300;
const PAUSE_MS = 180;

let last = -Infinity;

/** Who leafs through messages with a key held down asks for none of them before they stop. */
export async function unhurried(signal: AbortSignal): Promise<void> {
  const isHurried = performance.now() - last < HURRY_MS;
  last = performance.now();
  if (isHurried) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  signal.throwIfAborted();
}
