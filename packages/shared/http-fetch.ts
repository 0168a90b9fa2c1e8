import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/**
 * A `fetch` on node:http, for one request of a short process. The built-in one compiles its parser
 * of HTTP from WebAssembly, which the process awaits before it ends: 178 ms of `mayfly code` were
 * 100 ms more than those of a request with node:http. It follows no redirects, and uses no proxy of
 * the environment for this machine.
 */
export const httpFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const signal = init?.signal ?? request.signal;
  const incoming = await responseTo(request, signal);
  const { statusCode = 0, headers } = incoming;
  const hasBody = ![204, 205, 304].includes(statusCode);
  if (!hasBody) incoming.resume();
  try {
    return new Response(hasBody ? chunks(incoming, signal) : null, {
      status: statusCode,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    });
  } catch (error) {
    // A status that no response can have.
    incoming.destroy();
    throw error;
  }
};

async function responseTo(request: Request, signal: AbortSignal): Promise<IncomingMessage> {
  const { method, url } = request;
  const body = new Uint8Array(await request.arrayBuffer());
  const headers = Object.fromEntries(request.headers);
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    // Without the proxy that NODE_USE_ENV_PROXY names: a service on this machine is not behind it.
    send(url, { method, headers, signal, ...(isLoopback(url) ? { agent: false } : {}) })
      .on('response', resolve)
      .on('error', (error) => {
        reject(reasonOf(signal, error));
      })
      // Another protocol closes the connection without a response and without an error.
      .on('close', () => {
        reject(new Error('the connection was closed without a response'));
      })
      .end(body);
  });
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

async function* chunks(incoming: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming) yield chunk as Uint8Array; // no encoding is set
  } catch {
    throw reasonOf(signal, new Error('the response broke off'));
  }
}

/** What `fetch` rejects with: why it was aborted, or what broke. */
function reasonOf(signal: AbortSignal, error: Error): Error {
  const { reason } = signal as { reason: unknown };
  return signal.aborted && reason instanceof Error ? reason : error;
}
