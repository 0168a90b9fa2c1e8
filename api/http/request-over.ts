import type { Socket } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';

/** Whether the request is answered, or its connection is closed. */
export function isOver({ socket }: Pick<Request, 'socket'>, res: Response): boolean {
  return res.closed || res.destroyed || socket.destroyed;
}

/**
 * Calls `then` once when the request is answered or its connection is closed; at once if that has already
 * happened. The response alone does not tell: `close` is emitted once, and never by a response that still
 * waits for the answer to an earlier request of its connection (RFC 9112 section 9.3.2).
 */
export function whenOver(req: Pick<Request, 'socket'>, res: Response, then: () => void): void {
  if (isOver(req, res)) {
    then();
    return;
  }
  const { socket } = req;
  const end = () => {
    res.off('close', end);
    socket.off('close', end);
    then();
  };
  socket.setMaxListeners(0); // any number of requests of one connection may wait for their answers
  res.once('close', end);
  socket.once('close', end);
}

const latest = new WeakMap<Socket, Response>();
/** Of a response that has to wait, the one before it. */
const earlier = new WeakMap<Response, Response>();

/**
 * Remembers the order of the answers of a connection. The answer to a pipelined request waits for the earlier ones
 * (RFC 9112 section 9.3.2), which may be a stream without an end.
 */
export const orderAnswers: RequestHandler = (req, res, next) => {
  const before = latest.get(req.socket);
  if (before && !isOver(req, before)) earlier.set(res, before);
  latest.set(req.socket, res);
  next();
};

/**
 * Resolves once every earlier request of the connection is answered, or the connection is closed. Hold nothing that
 * other requests need before that.
 */
export async function earlierAnswers(req: Request, res: Response): Promise<void> {
  const before = earlier.get(res);
  if (!before) return;
  await new Promise<void>((resolve) => {
    whenOver(req, before, resolve);
  });
}
