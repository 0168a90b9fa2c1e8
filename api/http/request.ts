/** Checks of the head of every request, and the end and order of responses. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler, Request, Response } from 'express';
import type { Socket } from 'node:net';
import { AppError } from '../../core/errors.ts';
import type { Reader } from '../../core/mime/reading.ts';

const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/**
 * Changes a request target in absolute form, as a client of a proxy sends it, to origin form. Its
 * host replaces the header Host (RFC 9112 section 3.2.2). To be called before the application:
 * Express keeps the host while it routes.
 */
export function toOriginForm(req: IncomingMessage): void {
  const { url = '' } = req;
  const [start, host] = ABSOLUTE.exec(url) ?? [];
  if (start === undefined) return;
  const target = url.slice(start.length);
  req.url = target.startsWith('/') ? target : `/${target}`;
  if (req.headers.host !== undefined) req.headers.host = host;
}

/** RFC 9112 section 3.2: an HTTP/1.1 request without exactly one Host header gets 400. */
export const requireHost: RequestHandler = (req, _res, next) => {
  const names = req.rawHeaders.filter((_, index) => index % 2 === 0);
  const hosts = names.filter((name) => name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) {
    throw new AppError('invalid_request', 'The request must have exactly one Host header.');
  }
  next();
};

/** Whether the client waits for "100 Continue" (RFC 9110 section 10.1.1). */
export function expectsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

/** Rejects other expectations; the RFC defines none. */
export const refuseExpectations: RequestHandler = (req, _res, next) => {
  if (req.headers.expect !== undefined && !expectsContinue(req)) {
    throw new AppError(
      'expectation_failed',
      'Unsupported Expect header. Send "100-continue", or leave the header out.',
    );
  }
  next();
};

/** Whether the response is complete, or the connection is closed. */
export function isOver({ socket }: Pick<Request, 'socket'>, res: Response): boolean {
  return res.closed || res.destroyed || socket.destroyed;
}

/**
 * Calls `then` once when the response is complete or its connection is closed; at once if that has
 * already happened. The response alone is not enough: `close` is emitted once, and not by a
 * response that still waits for an earlier one of its connection (RFC 9112 section 9.3.2).
 */
export function whenOver(req: Pick<Request, 'socket'>, res: Response, then: () => void): void {
  if (isOver(req, res)) {
    then();
    return;
  }
  const { socket } = req;
  let isCalled = false;
  const end = () => {
    if (isCalled) return; // the response is closed by a listener of the socket, which has this one too
    isCalled = true;
    res.off('close', end);
    socket.off('close', end);
    then();
  };
  socket.setMaxListeners(0); // any number of requests of one connection can wait for their responses
  res.once('close', end);
  socket.once('close', end);
}

const latest = new WeakMap<Socket, Response>();
/** The preceding response of a response that has to wait. */
const earlier = new WeakMap<Response, Response>();

/**
 * Tracks the order of responses on a connection. The response to a pipelined request waits for the
 * earlier ones (RFC 9112 section 9.3.2), one of which can be an endless stream.
 */
export const orderResponses: RequestHandler = (req, res, next) => {
  res.setMaxListeners(0); // each part of the application can wait for its end, and a stream does
  const before = latest.get(req.socket);
  if (before && !isOver(req, before)) earlier.set(res, before);
  latest.set(req.socket, res);
  next();
};

/**
 * Resolves once all earlier requests of the connection have their response, or the connection is
 * closed. Do not hold shared resources while waiting.
 */
export async function earlierResponses(req: Request, res: Response): Promise<void> {
  const before = earlier.get(res);
  if (!before) return;
  await new Promise<void>((resolve) => {
    whenOver(req, before, resolve);
  });
}

/** Aborted when the connection is closed before the response is complete. */
export function disconnectSignal(req: Pick<Request, 'socket'>, res: Response): AbortSignal {
  const controller = new AbortController();
  whenOver(req, res, () => {
    controller.abort();
  });
  return controller.signal;
}

/**
 * Same, and aborted when the client closes its sending side: it may have closed the connection, and
 * only a write would tell.
 */
export function closingSignal(req: Pick<Request, 'socket'>, res: Response): AbortSignal {
  const { socket } = req;
  const controller = new AbortController();
  const abort = () => {
    controller.abort();
  };
  if (socket.readableEnded) abort();
  socket.once('end', abort);
  whenOver(req, res, () => {
    socket.off('end', abort);
    abort();
  });
  return controller.signal;
}

/**
 * On whose behalf the content of mail is read. The signal is made when it is asked for, which most
 * requests do not.
 */
export function readerOf(req: Pick<Request, 'socket'>, res: Response): Reader {
  return {
    workspaceId: res.locals.caller.workspace.id,
    get gone() {
      return closingSignal(req, res);
    },
    admit: (bytes) => {
      res.locals.unread.reserve(bytes);
    },
  };
}

const PROBE_MS = 1000;
/** A comment of server-sent events. */
const PROBE = ':\n\n';

/**
 * Writes to an event stream every second once the client has closed its sending side. A client
 * that has closed the connection too answers with a reset, which the second write meets.
 */
export function probeAtEnd(res: Response): void {
  const { req } = res;
  if (isOver(req, res)) return; // nothing would end the timer
  const { socket } = req;
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    if (res.headersSent && !res.writableEnded) res.write(PROBE);
  };
  const probe = () => {
    write();
    timer = setInterval(write, PROBE_MS);
  };
  if (socket.readableEnded) probe();
  else socket.once('end', probe);
  whenOver(req, res, () => {
    socket.off('end', probe);
    clearInterval(timer);
  });
}

/** Tells where the next page is: a link (RFC 8288) and the value of `after`. */
export function linkNext(
  { originalUrl }: Pick<Request, 'originalUrl'>,
  res: Response,
  cursor: string,
): void {
  const { pathname, searchParams } = new URL(originalUrl, 'http://localhost');
  searchParams.set('after', cursor);
  res.setHeader('Link', `<${pathname}?${searchParams.toString()}>; rel="next"`);
  res.setHeader('Next-Cursor', cursor);
}

/** Whether a stream failed because its client disconnected, which is not an error of the server. */
export function isHungUp(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
}
