/**
 * The webhook receiver of {@link startReceiver}, in a separate process so that it does not slow
 * down what it measures. It responds with 204: below /slow/ after 9.5 s, and below /dead/ never. It
 * reports requests below /healthy/.
 */
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { numberIn } from './mails.ts';
import { sharedNow } from './smtp.ts';

/** The first request for a mail at one webhook. */
export interface Arrival {
  path: string;
  /** The mail's number. */
  number: number;
  /** Time when the request was complete, by {@link sharedNow}. */
  at: number;
}

/** Messages of the process: its port first, then arrivals once the requested number is reached. */
export type Said = { port: number } | { arrivals: Arrival[] };
export interface Asked {
  count: number;
}

/** The subject precedes the bodies. */
const HEAD_BYTES = 2048;
const SLOW_MS = 9500;

let arrivals = new Map<string, Arrival>();
let wanted = Infinity;

const say = (what: Said) => process.send?.(what);
const sayArrivals = () => {
  if (arrivals.size < wanted) return;
  say({ arrivals: [...arrivals.values()] });
  wanted = Infinity;
  arrivals = new Map();
};

function readHead(req: IncomingMessage, done: (head: string) => void): void {
  let head = '';
  req.on('data', (chunk: Buffer) => {
    if (head.length < HEAD_BYTES) head += chunk.toString('latin1', 0, HEAD_BYTES);
  });
  req.on('end', () => {
    done(head);
  });
}

const server = createServer((req, res) => {
  readHead(req, (head) => {
    const at = sharedNow();
    const path = req.url ?? '';
    if (path.startsWith('/dead/')) return;
    setTimeout(() => res.writeHead(204).end(), path.startsWith('/slow/') ? SLOW_MS : 0);
    if (!path.startsWith('/healthy/')) return;
    const number = numberIn(head);
    const key = `${path} ${number ?? ''}`;
    if (number === null || arrivals.has(key)) return;
    arrivals.set(key, { path, number, at });
    sayArrivals();
  });
}).listen(0, '127.0.0.1', () => {
  say({ port: (server.address() as AddressInfo).port });
});

process.on('message', ({ count }: Asked) => {
  wanted = count;
  sayArrivals();
});
process.on('disconnect', () => process.exit());
