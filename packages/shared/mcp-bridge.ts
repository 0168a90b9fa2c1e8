/**
 * Carries JSON-RPC messages of a stdio client of the Model Context Protocol to `POST /mcp` and the
 * answers back. It looks into a message only for what HTTP needs as headers.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { httpFetch } from './http-fetch.ts';

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
/** JSON-RPC 2.0 section 5.1, and the code that the protocol has for errors of a transport. */
const PARSE_ERROR = -32_700;
const TRANSPORT_ERROR = -32_000;
const CLOSE_MS = 5000;
/** Characters of the target of a redirect. */
const SHOWN = 200;

const id = z.union([z.string(), z.number()]);
const message = z.looseObject({
  id: z.optional(id),
  method: z.optional(z.string()),
  params: z.optional(
    z.looseObject({
      name: z.optional(z.string()),
      requestId: z.optional(id),
      _meta: z.optional(z.looseObject({ [PROTOCOL_VERSION]: z.optional(z.string()) })),
    }),
  ),
});
type Message = z.output<typeof message>;

const initialized = z.looseObject({ result: z.looseObject({ protocolVersion: z.string() }) });
const refusal = z.looseObject({ error: z.string(), code: z.string() });
/** An error about a message whose id the service did not read. */
const unaddressed = z.looseObject({ id: z.null() });

/**
 * Serves the Model Context Protocol on standard input and output, one message a line, until the
 * input ends.
 * @param base address of the service, which can end with a path
 */
export async function serveStdio(base: string, token: string): Promise<void> {
  const url = new URL(`${base.replace(/\/+$/, '')}/mcp`);
  const bridge = openBridge({ url, token }, (line) => {
    process.stdout.write(`${line}\n`);
  });
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on('line', (line) => {
    if (line.trim() !== '') void bridge.send(line);
  });
  await once(lines, 'close');
  await bridge.close();
}

interface Bridge {
  /** Sends one line. Resolves when its answers are written. */
  send: (line: string) => Promise<void>;
  /** Ends the requests that are still in progress after five seconds. */
  close: () => Promise<void>;
}

/** @param write takes one line without its end */
function openBridge(
  { url, token }: { url: URL; token: string },
  write: (line: string) => void,
): Bridge {
  const open = new Map<string | number, AbortController>();
  /** Agreed by a client of a revision with a handshake; later revisions name it in each message. */
  let agreed: string | undefined;

  const fail = (to: Message['id'], text: string) => {
    if (to === undefined) console.error(`mayfly: ${text}`);
    else
      write(
        JSON.stringify({ jsonrpc: '2.0', id: to, error: { code: TRANSPORT_ERROR, message: text } }),
      );
  };

  const sending = new Set<Promise<void>>();

  const post = async (line: string, sent: Message, signal: AbortSignal) => {
    const version = sent.params?._meta?.[PROTOCOL_VERSION] ?? agreed;
    const response = await httpFetch(url, {
      method: 'POST',
      body: line,
      signal,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(version === undefined ? {} : { 'MCP-Protocol-Version': version }),
        ...(sent.method === undefined ? {} : { 'Mcp-Method': sent.method }),
        ...(sent.params?.name === undefined ? {} : { 'Mcp-Name': sent.params.name }),
      },
    });
    if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.body) {
      for await (const data of eventData(response.body)) answer(sent, data);
      return;
    }
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      fail(sent.id, redirected(url, response));
      return;
    }
    const text = await response.text();
    const refused = refusal.safeParse(parse(text));
    if (refused.success) fail(sent.id, `${refused.data.error} (${refused.data.code})`);
    else if (text !== '') answer(sent, text);
    else if (!response.ok) fail(sent.id, `${url.href} responded with status ${response.status}.`);
  };

  const answer = (sent: Message, text: string) => {
    const value = parse(text);
    if (value === undefined) {
      fail(sent.id, `${url.href} did not respond with JSON.`);
      return;
    }
    const handshake = sent.method === 'initialize' ? initialized.safeParse(value) : null;
    if (handshake?.success) agreed = handshake.data.result.protocolVersion;
    const { data: error } = unaddressed.safeParse(value);
    write(JSON.stringify(error ? { ...error, id: sent.id ?? null } : value));
  };

  const send = async (line: string) => {
    const read = message.safeParse(parse(line));
    if (!read.success) {
      write(
        JSON.stringify({
          jsonrpc: '2.0',
          id: null,
          error: { code: PARSE_ERROR, message: 'A line must be one JSON-RPC message.' },
        }),
      );
      return;
    }
    const sent = read.data;
    const { requestId } = sent.params ?? {};
    if (sent.method === 'notifications/cancelled' && requestId !== undefined) {
      // Requests have no session: closing the connection cancels one.
      open.get(requestId)?.abort();
      return;
    }
    const controller = new AbortController();
    if (sent.id !== undefined) open.set(sent.id, controller);
    try {
      await post(line, sent, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) return;
      const { cause, message: text } = error as Error;
      fail(sent.id, `${url.href}: ${cause instanceof Error ? cause.message : text}`);
    } finally {
      if (sent.id !== undefined) open.delete(sent.id);
    }
  };

  return {
    send: async (line) => {
      const sent = send(line);
      sending.add(sent);
      await sent.finally(() => sending.delete(sent));
    },
    close: async () => {
      const over = Promise.allSettled(sending);
      await Promise.race([over, delay(CLOSE_MS, undefined, { ref: false })]);
      for (const controller of open.values()) controller.abort();
      await over;
    },
  };
}

/** What a redirect, which is not followed, says, and which value of MAYFLY_URL prevents it. */
function redirected(url: URL, { status, headers }: Response): string {
  const location = headers.get('location');
  const to = location === null ? 'elsewhere' : `to ${location.slice(0, SHOWN)}`;
  const target =
    location !== null && URL.canParse(location, url.href) ? new URL(location, url) : url;
  const [, base] = /^(.*)\/mcp$/.exec(target.origin + target.pathname) ?? [];
  const setting =
    base === undefined || target.href === url.href
      ? 'the address that answers without a redirect'
      : base;
  return `${url.href} redirects ${to} (status ${status}). Set MAYFLY_URL to ${setting}.`;
}

/**
 * Reads the data of Server-Sent Events (HTML standard, section 9.2.6). Comments and other fields
 * are ignored.
 */
async function* eventData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      if (line !== '' || data.length === 0) continue;
      yield data.join('\n');
      data = [];
    }
  }
}

/** Undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
