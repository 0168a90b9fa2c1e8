import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/**
 * A `fetch` on node:http, for one request of a short process. The built-in one compiles its parser
 * of HTTP from WebAssembly, which the process awaits before it ends: 178 ms of `mayfly code` were
 * 100 ms more than those of a request with node:http. Redirects are left to the built-in one.
 */
export const httpFetch: typeof fetch = async (input, init) => {
  const request = new Request(input);
  const signal = init?.signal ?? request.signal;
  const again = request.clone();
  const body = new Uint8Array(await request.arrayBuffer());
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = request.url.startsWith('https:') ? httpsRequest : httpRequest;
    const { method } = request;
    const headers = Object.fromEntries(request.headers);
    send(request.url, { method, headers, signal })
      .on('response', resolve)
      .on('error', (error) => {
        reject(reasonOf(signal, error));
      })
      .end(body);
  });
  const { statusCode = 0, headers } = incoming;
  if (statusCode >= 300 && statusCode < 400 && headers.location) {
    incoming.resume();
    return fetch(again, init);
  }
  const hasBody = ![204, 205, 304].includes(statusCode);
  if (!hasBody) incoming.resume();
  return new Response(hasBody ? chunks(incoming, signal) : null, {
    status: statusCode,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
  });
};

async function* chunks(incoming: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming) yield chunk as Uint8Array; // no encoding is set
  } catch (error) {
    throw reasonOf(signal, error);
  }
}

/** What `fetch` rejects with: why it was aborted, or what broke. */
function reasonOf(signal: AbortSignal, error: unknown): Error {
  const { reason } = signal as { reason: unknown };
  const thrown = signal.aborted ? reason : error;
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
