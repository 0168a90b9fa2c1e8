/** A client of Server-Sent Events over a separate connection. */
import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

export interface Told {
  type: string;
  id: string | undefined;
  data: unknown;
}

export interface EventClient {
  readonly response: IncomingMessage;
  /** All events so far. */
  readonly told: Told[];
  /** The next `count` events after those that it has returned. */
  next: (count?: number) => Promise<Told[]>;
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<unknown>;
  hangUp: () => void;
}

export interface EventServer {
  readonly url: string;
  follow: (path: string, headers: Record<string, string>) => Promise<EventClient>;
  close: () => Promise<void>;
}

export async function openEventServer(app: Express): Promise<EventServer> {
  const server: Server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    follow(path, headers) {
      return followEvents(`http://127.0.0.1:${port}${path}`, headers);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Resolves at the start of the response. */
export async function followEvents(
  url: string,
  headers: Record<string, string>,
): Promise<EventClient> {
  const request = get(url, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return clientOf(response);
}

function clientOf(response: IncomingMessage): EventClient {
  const told: Told[] = [];
  let text = '';
  let taken = 0;
  let wake: () => void = () => undefined;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    told.push(...blocks.flatMap(parse));
    wake();
  });
  const ended = once(response, 'end');
  // A stream that the client closes has no end event.
  ended.catch(() => undefined);
  response.on('error', () => undefined);
  return {
    response,
    told,
    ended,
    async next(count = 1) {
      while (told.length < taken + count) await new Promise<void>((resolve) => (wake = resolve));
      taken += count;
      return told.slice(taken - count, taken);
    },
    hangUp: () => response.destroy(),
  };
}

/** A block without data is no event (WHATWG HTML, section 9.2.6). */
function parse(block: string): Told[] {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).trim()] as const;
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return [];
  return [{ type: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) }];
}
