/**
 * Data that is loaded before the event stream has begun can miss a later change. Loading therefore waits for the
 * stream for up to 400 ms; what was loaded before the stream is loaded again.
 */
const STREAM_TIMEOUT_MS = 400;

let heard: () => void = () => undefined;
let listening = Promise.resolve();
let isListening = false;
let loadedEarly = false;

/** Begins to wait for a new stream. */
export function expectStream(): void {
  isListening = false;
  listening = new Promise((resolve) => {
    heard = resolve;
  });
}

/** The stream has begun; whether anything was loaded before it had. */
export function streamBegan(): boolean {
  const again = loadedEarly;
  isListening = true;
  loadedEarly = false;
  heard();
  return again;
}

/** Resolves once the stream has begun, or after 400 ms. */
export async function whenListening(): Promise<void> {
  const timeout = new Promise((resolve) => setTimeout(resolve, STREAM_TIMEOUT_MS));
  await Promise.race([listening, timeout]);
  if (!isListening) loadedEarly = true;
}
