/**
 * Graceful stop of an HTTP server. Node's `close` waits for keep-alive connections and continues to
 * serve requests on them, so a single busy client would delay it until the deadline, which then
 * interrupts all requests in progress.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const DEADLINE_MS = 20_000;

/** For requests that are just arriving. */
const GRACE_MS = 1000;

/**
 * Events of a new request. Which one is emitted depends on its Expect header (RFC 9110 section
 * 10.1.1).
 */
const REQUESTS = ['request', 'checkContinue', 'checkExpectation'];

/**
 * Tracks the server from now on. The returned function stops it and resolves once every request in
 * progress has its response.
 */
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
    // Node does not consider a connection idle that has sent nothing or part of a header.
    const grace = setTimeout(endUnserved, GRACE_MS);
    for (const res of serving) res.shouldKeepAlive = false;
    await closed;
    clearTimeout(timer);
    clearTimeout(grace);
  };
}
