/**
 * A TCP proxy for a server with commands and replies, such as Redis. It can lose a reply with its
 * connection, and tells what clients write.
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
  /** What clients have written since the last call: one text for each round trip, in order. */
  readonly takeRoundTrips: () => string[];
  readonly close: () => Promise<void>;
}

/**
 * @param target the unix socket of the server.
 * @param latencyMs time by which replies are delayed.
 */
export async function openLossyProxy(target: string, latencyMs = 0): Promise<LossyProxy> {
  const open = new Set<Socket>();
  let roundTrips: { text: string }[] = [];
  let lost: { text: string; done: () => void } | null = null;

  const server = createServer((client) => {
    const upstream = connect(target);
    let losing: (() => void) | null = null;
    let roundTrip: { text: string } | null = null;
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    const reply = (bytes: Buffer) => {
      roundTrip = null;
      client.write(bytes);
    };
    client.on('data', (bytes) => {
      if (lost && bytes.includes(lost.text)) {
        losing = lost.done;
        lost = null;
      }
      if (roundTrip === null) roundTrips.push((roundTrip = { text: '' }));
      roundTrip.text += bytes.toString('latin1');
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (losing) {
        client.destroy();
        losing();
      } else if (latencyMs === 0) {
        reply(bytes);
      } else {
        setTimeout(reply, latencyMs, bytes);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    takeRoundTrips: () => {
      const taken = roundTrips;
      roundTrips = [];
      return taken.map(({ text }) => text);
    },
    loseReplyTo: (text) => new Promise((done) => (lost = { text, done })),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
