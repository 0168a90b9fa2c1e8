/** A webhook receiver for tests: an HTTP server with configurable responses. */
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../mocha/eventually.ts';

/** One received request. */
export interface Received {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  /** `performance.now()` at the end of the request. */
  readonly at: number;
}

type Answering = (req: IncomingMessage, res: ServerResponse, received: Received) => void;

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Number of connections, with and without a request. */
  readonly connections: () => number;
  /** Sets the response: a status, or a function that responds. */
  readonly answer: (how: number | Answering) => void;
  /** Resolves to the n-th request, counted from 1. */
  readonly request: (n: number, withinMs?: number) => Promise<Received>;
  readonly close: () => Promise<void>;
}

/** Responds with 204 until `answer` is called. */
export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answering: Answering = (_req, res) => res.writeHead(204).end();
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('error', () => undefined);
    req.on('end', () => {
      const one = {
        path: req.url ?? '',
        headers: req.headers as Record<string, string>,
        body: Buffer.concat(chunks),
        at: performance.now(),
      };
      received.push(one);
      answering(req, res, one);
    });
  }).listen(0, '127.0.0.1');
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    connections: () => connections,
    answer: (how) => {
      answering = typeof how === 'number' ? (_req, res) => res.writeHead(how).end() : how;
    },
    request: (n, withinMs) =>
      eventually(`request ${n} at the receiver`, () => received[n - 1], withinMs),
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
