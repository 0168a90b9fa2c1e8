/**
 * A TCP proxy for a server with commands and replies, such as Redis. It can lose a reply with its
 * connection.
 */
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

export interface LossyProxy {
  readonly port: number;
  /**
   * Closes the connection of the next client that sends this text, after the reply of the server
   * and before the client gets it. Resolves when the connection is closed.
   */
  readonly loseReplyTo: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @param target the unix socket of the server. */
export async function openLossyProxy(target: string): Promise<LossyProxy> {
  const open = new Set<Socket>();
  let lost: { text: string; done: () => void } | null = null;

  const server = createServer((client) => {
    const upstream = connect(target);
    let losing: (() => void) | null = null;
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (lost && bytes.includes(lost.text)) {
        losing = lost.done;
        lost = null;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (losing) {
        client.destroy();
        losing();
      } else {
        client.write(bytes);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    loseReplyTo: (text) => new Promise((done) => (lost = { text, done })),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
