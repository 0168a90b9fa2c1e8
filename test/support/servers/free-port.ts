import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range of local ports of outgoing connections on Linux. */
const FIRST = 15_000;
const LAST = 32_000;

/**
 * Each process takes one port after the other: a port that it has just handed out may not be in use
 * yet.
 */
let next = randomInt(FIRST, LAST);

/** A TCP port that nothing listens on, outside the range of outgoing connections. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port + 1 < LAST ? port + 1 : FIRST;
    const server = createServer().listen(port, '127.0.0.1');
    // `once` rejects with the error event.
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) {
      await once(server, 'close');
      return port;
    }
  }
}
