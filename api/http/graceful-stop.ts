/**
 * An HTTP server that can be stopped. Node's own `close` waits for connections that clients keep alive, and
 * goes on answering on them: one client that keeps asking would hold it up until the deadline, which then
 * cuts off whatever is being served.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const DEADLINE_MS = 20_000;

/** For requests that are just arriving. */
const GRACE_MS = 1000;

/** Each is a request; which one it is depends on what it expects (RFC 9110 section 10.1.1). */
const REQUESTS = ['request', 'checkContinue', 'checkExpectation'];

/** Watches the server from now on; the result stops it: resolves once every request begun is answered. */
export function gracefulStop(server: Server): () => Promise<void> {
  const serving = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
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
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const endUnserved = () => {
    const served = new Set([...serving].map(({ socket }) => socket));
    for (const socket of sockets) if (!served.has(socket)) socket.destroy();
  };

  return async () => {
    stopping = true;
    const timer = setTimeout(() => {
      server.closeAllConnections();
    }, DEADLINE_MS);
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    // To Node, one that has sent nothing yet, or half a header, is not idle.
    const grace = setTimeout(endUnserved, GRACE_MS);
    for (const res of serving) res.shouldKeepAlive = false;
    await closed;
    clearTimeout(timer);
    clearTimeout(grace);
  };
}
