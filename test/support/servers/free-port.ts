import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range that Linux takes the local ports of outgoing connections from. */
const FIRST = 15_000;
const LAST = 32_000;

/** A TCP port that nothing listened on a moment ago, and that no outgoing connection will be given. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    const server = createServer().listen(port, host);
    // waiting for `listening` ends in the error where there is one
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
