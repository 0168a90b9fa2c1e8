/** A server that sends the exact bytes of a test, including invalid HTTP. */
import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { type TlsOptions, type TLSSocket, createServer as createTlsServer } from 'node:tls';
import { eventually } from '../mocha/eventually.ts';

export interface RawServer {
  readonly port: number;
  /** Every connection so far, oldest first. */
  readonly sockets: Socket[];
  /** Resolves once no connection is open any more. */
  readonly idle: (withinMs?: number) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** @param serve is called with each connection; over TLS, after the handshake. */
export async function openRawServer(
  serve: (socket: Socket | TLSSocket) => void,
  tls?: TlsOptions,
): Promise<RawServer> {
  const sockets: Socket[] = [];
  const served = (socket: Socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  };
  const server: Server = tls ? createTlsServer(tls, served) : createServer(served);
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    idle: (withinMs) =>
      eventually(
        'the connections to end',
        () => sockets.every(({ destroyed }) => destroyed),
        withinMs,
      ),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export interface RawServerTest extends RawServer {
  /** Opens the server. Resolves to its URL. */
  readonly serve: (serving: (socket: Socket) => void) => Promise<string>;
}

/** A server for a test, opened by `serve`. Each test ends when its connections have ended. */
export function rawServer(): RawServerTest {
  let server: RawServer | undefined;
  const close = async () => {
    await server?.close();
    server = undefined;
  };
  afterEach(async () => {
    await server?.idle();
    await close();
  });
  return {
    get port() {
      return server!.port;
    },
    get sockets() {
      return server!.sockets;
    },
    idle: async (withinMs) => server?.idle(withinMs),
    close,
    serve: async (serving) => {
      server = await openRawServer(serving);
      return `http://127.0.0.1:${server.port}/hook`;
    },
  };
}

/** Resolves to the bytes of an HTTP request once its body is complete. */
export async function wholeRequest(socket: Socket): Promise<{ head: string; body: Buffer }> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    bytes = Buffer.concat([bytes, chunk]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) continue;
    const head = bytes.subarray(0, end).toString('latin1');
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const body = bytes.subarray(end + 4);
    if (body.length >= length) return { head, body };
  }
}

/** A server that answers each request with these bytes and keeps the connection open. */
export function saying(text: string | Buffer, then?: (socket: Socket) => void) {
  return (socket: Socket) => {
    void wholeRequest(socket).then(
      () => {
        socket.write(text, () => then?.(socket));
      },
      () => undefined,
    );
  };
}
