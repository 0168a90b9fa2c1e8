/**
 * HTTP load over keep-alive connections, like a poller or a test suite. Uses little CPU time, like
 * the SMTP load.
 */
import { once } from 'node:events';
import { type Agent, request } from 'node:http';
import { type Socket, connect } from 'node:net';

export interface HttpLoad {
  /** `http://HOST:PORT` */
  origin: string;
  token: string | null;
  /** Each has one request in progress. */
  clients: number;
  requests: number;
  /** Path of the n-th request. */
  path: (n: number) => string;
}

/** Sends all requests; resolves to the milliseconds each took. @throws if a response is not 200. */
export async function askLoad(load: HttpLoad): Promise<number[]> {
  const { hostname, port, host } = new URL(load.origin);
  const head = `Host: ${host}\r\n${load.token === null ? '' : `Authorization: Bearer ${load.token}\r\n`}`;
  const latencies: number[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: load.clients }, async () => {
      const socket = connect(Number(port), hostname).setNoDelay(true);
      await once(socket, 'connect');
      const answered = answerReader(socket);
      while (next < load.requests) {
        const path = load.path(next);
        next += 1;
        const start = performance.now();
        socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`);
        const status = await answered();
        if (status !== 200) throw new Error(`${path}: ${status}`);
        latencies.push(performance.now() - start);
      }
      socket.destroy();
    }),
  );
  return latencies;
}

/** Resolves to the status of the next response once it is complete, without storing it. */
function answerReader(socket: Socket): () => Promise<number> {
  let resolve: (status: number) => void = () => undefined;
  let head = '';
  let missing = -1; // remaining body bytes, once the header is known
  let last = '';
  const end = () => {
    const status = Number(head.slice(9, 12));
    head = '';
    missing = -1;
    resolve(status);
  };
  socket.on('data', (chunk: Buffer) => {
    if (missing >= 0) {
      missing -= chunk.length;
    } else {
      head += chunk.toString('latin1');
      const bodyAt = head.indexOf('\r\n\r\n') + 4;
      if (bodyAt < 4) return;
      const length = /^content-length: *(\d+)/im.exec(head.slice(0, bodyAt))?.[1];
      missing = (length === undefined ? Infinity : Number(length)) - (head.length - bodyAt);
    }
    // Chunked: no chunk of the measured JSON ends like this (RFC 9112, 7.1).
    last = (last + chunk.subarray(-7).toString('latin1')).slice(-7);
    if (missing <= 0 || (missing === Infinity && last === '\r\n0\r\n\r\n')) end();
  });
  socket.on('close', () => {
    resolve(0);
  });
  return () => new Promise((settle) => (resolve = settle));
}

/** Asks the API, and resolves to the JSON of the response. @throws for a status other than 2xx. */
export function askJson<Answer>(
  { origin, token }: Pick<HttpLoad, 'origin' | 'token'>,
  agent: Agent,
  path: string,
  body?: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${token ?? ''}`,
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const method = body ? 'POST' : 'GET';
    const asked = request(origin + path, { agent, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(parts).toString();
        if ((response.statusCode ?? 0) < 300) resolve(JSON.parse(text) as Answer);
        else reject(new Error(`${path}: ${response.statusCode ?? 0} ${text}`));
      });
    });
    asked.once('error', reject);
    asked.end(body && JSON.stringify(body));
  });
}
