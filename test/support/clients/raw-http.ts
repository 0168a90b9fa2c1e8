/** HTTP requests byte for byte as given: paths are not normalized, and bodies can be arbitrary. */
import { Agent, request as open } from 'node:http';

export type Header = [name: string, value: string];

export interface RawRequest {
  method: string;
  /** With its query, as it stands in the request line. */
  path: string;
  headers: Header[];
  /** Sent with its length, unless a header field states another one. */
  body: string | null;
  /** Encoding of the body: `latin1` for invalid UTF-8. */
  encoding: 'utf8' | 'latin1';
}

export interface RawAnswer {
  status: number;
  /** The value of a header field; empty if it is missing. */
  header: (name: string) => string;
  body: Buffer;
}

/**
 * A client for one server with persistent connections.
 * @param host the header Host; null if the header fields of each request have it
 */
export function rawClient(port: number, host: string | null = `127.0.0.1:${port}`) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });

  const send = ({ method, path, headers, body, encoding }: RawRequest) =>
    new Promise<RawAnswer>((resolve, reject) => {
      const bytes = body === null ? null : Buffer.from(body, encoding);
      const fields = [...headers.flat(), ...(host === null ? [] : ['Host', host])];
      if (bytes && !fields.includes('Content-Length')) {
        fields.push('Content-Length', String(bytes.length));
      }
      const request = open({ agent, port, host: '127.0.0.1', method, path, headers: fields });
      request.once('error', reject);
      request.once('response', (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('error', reject);
        response.once('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            header: (name) => String(response.headers[name.toLowerCase()] ?? ''),
            body: Buffer.concat(parts),
          });
        });
      });
      request.end(bytes ?? undefined);
    });

  return {
    send,
    close: () => {
      agent.destroy();
    },
  };
}
