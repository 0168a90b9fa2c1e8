import { connect } from 'node:net';

const ANSWER_WITHIN_MS = 1000;

/** Sends PING to the Redis on a Unix socket; `away` if nothing listens there. */
export function pingRedis(socketPath: string): Promise<'ready' | 'loading' | 'away'> {
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => socket.write('PING\r\n'));
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.once('data', (reply) => {
      resolve(reply.toString().startsWith('+PONG') ? 'ready' : 'loading');
      socket.destroy();
    });
    socket.on('error', () => {
      resolve('away');
    });
    socket.on('close', () => {
      resolve('away');
    });
  });
}
