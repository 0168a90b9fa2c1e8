/**
 * An HTTP server that can be stopped. Node's own `close` waits for connections that clients keep alive, and
 * goes on answering on them: one client that keeps asking would hold it up until the deadline, which then
 * cuts off whatever is being served.
 */
import type { Server, ServerResponse } from 'node:http';

const DEADLINE_MS = 20_000;

/** Each is a request; which one it is depends on what it expects (RFC 9110 section 10.1.1). */
const REQUESTS = ['request', 'checkContinue', 'checkExpectation'];

/** Watches the server from now on; the result stops it: resolves once every request begun is answered. */
export function orderlyStop(server: Server): () => Promise<void> {
  const serving = new Set<ServerResponse>();
  let stopping = false;

  const watch = (_req: unknown, res: ServerResponse) => {
    serving.add(res);
    if (stopping) res.shouldKeepAlive = false;
    res.once('close', () => {
      serving.delete(res);
      if (stopping) server.closeIdleConnections();
    });
  };
  for (const event of REQUESTS) server.prependListener(event, watch);

  return async () => {
    stopping = true;
    const timer = setTimeout(() => {
      server.closeAllConnections();
    }, DEADLINE_MS);
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    for (const res of serving) res.shouldKeepAlive = false;
    await closed;
    clearTimeout(timer);
  };
}
