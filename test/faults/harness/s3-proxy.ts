/** A proxy between the product and its S3 server that injects faults. */
import { once } from 'node:events';
import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request,
} from 'node:http';
import { freePort } from '../../support/servers/free-port.ts';

/** The kinds of faults; `lose` reports success and discards the object. */
export type Trouble = 'refuse' | 'hang' | 'fail' | 'slow' | 'reset' | 'lose';

export interface S3Proxy {
  readonly endpoint: string;
  /** Injects the fault until `during` resolves, then resets hanging requests. */
  readonly whileIn: (trouble: Trouble, during: () => Promise<unknown>) => Promise<void>;
  readonly close: () => Promise<void>;
}

const SLOW_MS = 1000;

type Serve = (req: IncomingMessage, res: ServerResponse) => void;

/** @param target the endpoint of the real server. */
export async function openS3Proxy(target: string): Promise<S3Proxy> {
  const { hostname, port: targetPort } = new URL(target);

  const pass: Serve = (req, res) => {
    const { method, url: path, headers } = req;
    const onward = request({ host: hostname, port: targetPort, method, path, headers });
    onward.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.on('error', () => onward.destroy());
    req.pipe(onward);
  };
  const troubles: Record<Exclude<Trouble, 'refuse'>, Serve> = {
    hang: () => undefined,
    fail: (req, res) => {
      req.resume();
      res.writeHead(500).end();
    },
    slow: (req, res) => void setTimeout(pass, SLOW_MS, req, res),
    reset: (req, res) => {
      req.once('data', () => res.destroy());
      if (req.method !== 'PUT') res.destroy();
    },
    lose: (req, res) => {
      if (req.method !== 'PUT') {
        pass(req, res);
        return;
      }
      req.resume();
      req.on('end', () => res.writeHead(200, { ETag: '"0"' }).end());
    },
  };

  let serve = pass;
  let server: Server;
  const port = await freePort();
  const listen = async () => {
    server = createServer((req, res) => {
      serve(req, res);
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await listen();

  return {
    endpoint: `http://127.0.0.1:${port}`,
    async whileIn(trouble, during) {
      if (trouble === 'refuse') await close();
      else serve = troubles[trouble];
      try {
        await during();
      } finally {
        serve = pass;
        if (trouble === 'refuse') await listen();
        else server.closeAllConnections();
      }
    },
    close,
  };
}
