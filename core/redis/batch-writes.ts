import type { RedisClient } from './client.ts';

/**
 * Returns a function that batches all commands of this turn of the event loop into one write,
 * instead of one system call per command (docs/decisions.md, 10). The batch is written before Node
 * waits for input again, so it adds no delay.
 */
export function writeBatcher(redis: RedisClient): () => void {
  if (!('stream' in redis)) return () => undefined; // a cluster client has one connection per node
  let isCorked = false;
  return () => {
    if (isCorked) return;
    isCorked = true;
    const { stream } = redis;
    stream.cork();
    setImmediate(() => {
      isCorked = false;
      stream.uncork();
    });
  };
}
