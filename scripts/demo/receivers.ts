/** Receivers of webhooks on this machine, for the duration of the demo. */
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Receivers {
  /** Answers 204. */
  readonly working: string;
  /** Answers 500. */
  readonly failing: string;
  /** Nothing listens there. */
  readonly closed: string;
  readonly close: () => Promise<void>;
}

const HOST = '127.0.0.1';
/** The port of the discard protocol (RFC 863), which hardly any machine serves. */
const CLOSED_PORT = 9;

export async function openReceivers(): Promise<Receivers> {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/mail') {
      response.writeHead(204).end();
      return;
    }
    response.writeHead(500, { 'Content-Type': 'application/json' });
    response.end('{"error":"the database of the receiver is away","retry":true}');
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    working: `http://${HOST}:${port}/mail`,
    failing: `http://${HOST}:${port}/staging/mail`,
    closed: `http://${HOST}:${CLOSED_PORT}/mail`,
    close: () => close(server),
  };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
