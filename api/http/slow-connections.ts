/**
 * Connections without a complete request. A few can be slow clients, such as a loaded CI machine,
 * and get the usual time for a header. Many indicate an attempt to exhaust the connections, and
 * each gets a shorter time.
 */
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../core/log.ts';

export interface SlowConnectionLimits {
  /** Number of connections without a complete request above which the time is shortened. */
  connections: number;
  /** Time limit for a header above that number, in milliseconds. */
  headersTimeoutMs: number;
}

/** The last request of a connection. */
interface Last {
  req: IncomingMessage;
  /** Bytes received when its response was complete; null before that. */
  bytesRead: number | null;
}

/**
 * Shortens the header timeout of the server while there are too many such connections. Node reads
 * it at each check of the connections.
 */
export function limitSlowConnections(
  server: Server,
  log: Logger,
  { connections, headersTimeoutMs }: SlowConnectionLimits,
  everyMs: number,
): void {
  const usual = server.headersTimeout;
  if (usual === 0 || usual <= headersTimeoutMs) return;
  /** All open connections. */
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
    if (timeout === usual) log.info('header timeout restored', { timeoutMs: usual });
    else
      log.warn('header timeout shortened: too many connections without a request', {
        slow,
        timeoutMs: timeout,
      });
  }, everyMs);
  check.unref();
  server.once('close', () => {
    clearInterval(check);
  });
}

/** Whether the connection has sent no request, or only part of one after the last response. */
function isSlow(socket: Socket, last: Last | null): boolean {
  if (last === null) return true;
  if (last.bytesRead !== null) return socket.bytesRead > last.bytesRead;
  return !last.req.complete;
}
