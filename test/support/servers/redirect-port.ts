import { Socket } from 'node:net';

type Connect = (this: Socket, ...args: unknown[]) => Socket;

/**
 * Connections to a port that only the administrator may listen on go to another one, until the returned
 * function is called; all that is sent is as it would be.
 */
export function redirectPort(from: number, to: number): () => void {
  const prototype = Socket.prototype as unknown as { connect: Connect };
  const { connect } = prototype;
  prototype.connect = function (...args) {
    // `net.connect` and `tls.connect` hand on the array that they have put their arguments into, or the options.
    const [first] = args;
    const options = (Array.isArray(first) ? first[0] : first) as { port?: unknown };
    if (options.port === from) options.port = to;
    return connect.apply(this, args);
  };
  return () => {
    prototype.connect = connect;
  };
}
