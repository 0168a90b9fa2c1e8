/**
 * Returns a function that runs `work` at once, then at most once per gap, never concurrently. A
 * call during the gap runs `work` at its end.
 */
export function coalesce(work: () => Promise<unknown>, gap: () => number): () => void {
  let running = false;
  let turns = 0;
  const run = async () => {
    running = true;
    for (let done = 0; done !== turns;) {
      done = turns;
      await work().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, gap()));
    }
    running = false;
  };
  return () => {
    turns += 1;
    if (!running) void run();
  };
}
