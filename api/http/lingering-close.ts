/**
 * Closes a connection whose request was answered before it arrived completely. Node would either
 * read it to its end, which may never come, or close the connection at once, and a client that is
 * still sending would lose the response to a reset (RFC 9112 section 9.6). The rest is therefore
 * read and dropped for a short time.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

const MAX_DROPPED_BYTES = 512 * 1024;
const LINGER_MS = 1_000;

/**
 * Makes this response the last of its connection if the request has not arrived completely by then.
 */
export function lingeringClose(req: IncomingMessage, res: ServerResponse): void {
  const writeHead = res.writeHead.bind(res);
  Object.assign(res, {
    writeHead: (...head: Parameters<typeof writeHead>) => {
      if (!req.complete) res.shouldKeepAlive = false;
      return writeHead(...head);
    },
  });
  // Runs before Node's own listener, which would read on or close.
  res.prependOnceListener('finish', () => {
    if (!req.complete) linger(req);
  });
}

function linger(req: IncomingMessage): void {
  const { socket } = req;
  const end = () => socket.destroy();
  const timer = setTimeout(end, LINGER_MS).unref();
  socket.once('close', () => {
    clearTimeout(timer);
  });
  let dropped = 0;
  req.on('data', (part: Buffer) => {
    dropped += part.length;
    if (dropped > MAX_DROPPED_BYTES) end();
  });
  req.once('end', end);
  req.read(); // otherwise Node drops the rest without calling this listener
  req.resume();
  socket.destroySoon = () => socket.end();
}
