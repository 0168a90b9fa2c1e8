/**
 * Pauses of long work, in which the process does other work. However many requests do long work at
 * the same time, one of them goes on in a turn of the event loop: `setImmediate` alone would let
 * each of them do its piece before the next request is read.
 */
const LONG_MS = 5;
const waiting: (() => void)[] = [];

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}

/** Resolves in a later turn of the event loop. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });
}

/** Returns what is called between two pieces of work: it pauses when 5 ms have passed. */
export function openPauses(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began <= LONG_MS) return;
    await pause();
    began = performance.now();
  };
}
