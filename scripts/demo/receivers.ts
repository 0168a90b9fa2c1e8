/** Receivers of webhooks on this machine, for the duration of the demo. */
import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
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

export async function openReceivers(): Promise<Receivers> {
  const gone = await listen(createServer());
  await close(gone.server);
  const { server, port } = await listen(createServer(answer));
  return {
    working: `http://${HOST}:${port}/mail`,
    failing: `http://${HOST}:${port}/staging/mail`,
    closed: `http://${HOST}:${gone.port}/mail`,
    close: () => close(server),
  };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (request.url === '/mail') {
    response.writeHead(204).end();
    return;
  }
  response.writeHead(500, { 'Content-Type': 'application/json' });
  response.end('{"error":"the database of the receiver is away","retry":true}');
}

async function listen(server: Server): Promise<{ server: Server; port: number }> {
  server.listen(0, HOST);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
