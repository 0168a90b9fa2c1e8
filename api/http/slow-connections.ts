/**
 * Connections that have not sent a whole request: few are slow clients, such as a loaded CI machine, and get the usual
 * time for a header. Many are taken for an attempt to use up the connections, and each gets a shorter time.
 */
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../core/log.js';

export interface SlowConnectionLimits {
  /** With more connections than this that have not sent a whole request, each gets a shorter time. */
  connections: number;
  /** The shorter time for a header, in milliseconds. */
  headersTimeoutMs: number;
}

/** The last request of a connection. */
interface Last {
  req: IncomingMessage;
  /** What the connection had brought when the answer was over; null before. */
  bytesRead: number | null;
}

/** Shortens the server's time for headers while there are too many slow connections; Node reads it at each check of the connections. */
export function limitSlowConnections(
  server: Server,
  log: Logger,
  { connections, headersTimeoutMs }: SlowConnectionLimits,
  everyMs: number,
): void {
  const usual = server.headersTimeout;
  if (usual === 0 || usual <= headersTimeoutMs) return;
  /** Every open connection. */
  const open = new Map<Socket, Last | null>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, null);
    socket.once('close', () => open.delete(socket));
  });
  const note: RequestListener = (req, res) => {
    const { socket } = req;
    const last: Last = { req, bytesRead: null };
    if (open.has(socket)) open.set(socket, last);
    res.once('close', () => (last.bytesRead = socket.bytesRead));
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.prependListener(event, note);
  }

  const check = setInterval(() => {
    let slow = 0;
    for (const [socket, last] of open) if (isSlow(socket, last)) slow += 1;
    const timeout = slow > connections ? headersTimeoutMs : usual;
    if (timeout === server.headersTimeout) return;
    server.headersTimeout = timeout;
    if (timeout === usual)
      log.info('time for headers is the usual one again', { timeoutMs: usual });
    else
      log.warn('time for headers shortened, many connections send none', {
        slow,
        timeoutMs: timeout,
      });
  }, everyMs);
  check.unref();
  server.once('close', () => {
    clearInterval(check);
  });
}

/** Whether it has sent no request, a part of one, or a part of another one behind an answered one. */
function isSlow(socket: Socket, last: Last | null): boolean {
  if (last === null) return true;
  if (last.bytesRead !== null) return socket.bytesRead > last.bytesRead;
  return !last.req.complete;
}
