/**
 * Data loaded before the event stream is ready can miss a later change. Loading therefore waits up
 * to 400 ms for the stream. Data loaded earlier is loaded again once the stream is ready.
 */
const STREAM_TIMEOUT_MS = 400;

let heard: () => void = () => undefined;
let listening = Promise.resolve();
let isListening = false;
let loadedEarly = false;

/** Starts the wait for a new stream. */
export function expectStream(): void {
  isListening = false;
  listening = new Promise((resolve) => {
    heard = resolve;
  });
}

/** Marks the stream as ready. Returns whether data was loaded before that. */
export function markStreamReady(): boolean {
  const again = loadedEarly;
  isListening = true;
  loadedEarly = false;
  heard();
  return again;
}

/** Resolves when the stream is ready, or after 400 ms. */
export async function whenListening(): Promise<void> {
  const timeout = new Promise((resolve) => setTimeout(resolve, STREAM_TIMEOUT_MS));
  await Promise.race([listening, timeout]);
  if (!isListening) loadedEarly = true;
}
