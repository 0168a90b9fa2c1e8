/**
 * What is loaded before the event stream has begun can miss what happens in between. So loading waits for the
 * stream, but not long; what was loaded too early is loaded again.
 */
const PATIENCE_MS = 400;

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

/** Resolves once events are told, or when that takes too long. */
export async function whenListening(): Promise<void> {
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  await Promise.race([listening, patience]);
  if (!isListening) loadedEarly = true;
}
