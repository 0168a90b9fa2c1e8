/**
 * Runs work at once when asked, and then at most once in each gap, however often it is asked for; never twice
 * at a time. The last call is never forgotten.
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
