import { Socket } from 'node:net';

type Connect = (this: Socket, ...args: unknown[]) => Socket;

/**
 * Redirects connections to a privileged port to another port until the returned function is called.
 * The data is not changed.
 */
export function redirectPort(from: number, to: number): () => void {
  const prototype = Socket.prototype as unknown as { connect: Connect };
  const { connect } = prototype;
  prototype.connect = function (...args) {
    // `net.connect` and `tls.connect` pass their normalized array of arguments, or the options.
    const [first] = args;
    const options = (Array.isArray(first) ? first[0] : first) as { port?: unknown };
    if (options.port === from) options.port = to;
    return connect.apply(this, args);
  };
  return () => {
    prototype.connect = connect;
  };
}
