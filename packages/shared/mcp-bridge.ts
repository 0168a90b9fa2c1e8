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
const INVALID_REQUEST = -32_600;
const TRANSPORT_ERROR = -32_000;
const CLOSE_MS = 5000;
/** Programs of Windows write it in front of the first line, also of standard input. */
const BYTE_ORDER_MARK = /^\ufeff/;
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
/** Of revision 2025-03-26. */
const batch = z.array(message).check(z.minLength(1));

/** What one line has: a message, or a batch whose answers are a list. */
interface Sent {
  messages: Message[];
  isBatch: boolean;
}

const initialized = z.looseObject({ result: z.looseObject({ protocolVersion: z.string() }) });
const refusal = z.looseObject({ error: z.string(), code: z.string() });
/** An error about a message whose id the service did not read. */
const unaddressed = z.looseObject({ id: z.null() });
const response = z.looseObject({ id, method: z.optional(z.undefined()) });

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
    const content = line.replace(BYTE_ORDER_MARK, '');
    if (content.trim() !== '') void bridge.send(content);
  });
  await once(lines, 'close');
  await bridge.close();
}

/** What a line has whose answers have not all come. */
interface Pending {
  controller: AbortController;
  /** Those that the client has not cancelled. */
  ids: Set<string | number>;
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
  const open = new Map<string | number, Pending>();
  /** Agreed by a client of a revision with a handshake; later revisions name it in each message. */
  let agreed: string | undefined;

  /** Answers each request of the line with an error. */
  const fail = (sent: Sent, error: object) => {
    const ids = idsOf(sent);
    if (ids.length === 0) console.error(`mayfly: ${JSON.stringify(error)}`);
    else
      writeAll(
        sent,
        ids.map((to) => ({ jsonrpc: '2.0', id: to, error })),
      );
  };
  const failWith = (sent: Sent, text: string) => {
    if (idsOf(sent).length === 0) console.error(`mayfly: ${text}`);
    else fail(sent, { code: TRANSPORT_ERROR, message: text });
  };
  const writeAll = ({ isBatch }: Sent, values: unknown[]) => {
    if (isBatch && values.length > 0) write(JSON.stringify(values));
    else for (const value of values) write(JSON.stringify(value));
  };

  const sending = new Set<Promise<void>>();

  const post = async (sent: Sent, body: string, signal: AbortSignal) => {
    const reply = await httpFetch(url, {
      ...{ method: 'POST', body, signal },
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headersOf(sent, agreed),
      },
    });
    if (reply.headers.get('content-type')?.startsWith('text/event-stream') && reply.body) {
      await answerStream(sent, reply.body);
      return;
    }
    if (reply.status >= 300 && reply.status < 400) {
      await reply.body?.cancel();
      failWith(sent, redirected(url, reply));
      return;
    }
    const text = await reply.text();
    const refused = refusal.safeParse(parse(text));
    if (refused.success) failWith(sent, `${refused.data.error} (${refused.data.code})`);
    else if (text !== '') answer(sent, parse(text));
    else if (!reply.ok) failWith(sent, `${url.href} responded with status ${reply.status}.`);
  };

  /** Writes what comes before the answers at once, and the answers to a batch as one list. */
  const answerStream = async (sent: Sent, body: AsyncIterable<Uint8Array>) => {
    const answers: unknown[] = [];
    for await (const data of eventData(body)) {
      const value = parse(data);
      if (sent.isBatch && response.safeParse(value).success) answers.push(value);
      else answer(sent, value);
    }
    if (answers.length > 0) answer(sent, answers);
  };

  const answer = (sent: Sent, value: unknown) => {
    if (value === undefined) {
      failWith(sent, `${url.href} did not respond with JSON.`);
      return;
    }
    const { data: refused } = unaddressed.safeParse(value);
    const error = refused?.['error'];
    if (typeof error === 'object' && error !== null) {
      fail(sent, error);
      return;
    }
    if (sent.messages.some(({ method }) => method === 'initialize')) {
      for (const each of [value].flat()) {
        const handshake = initialized.safeParse(each);
        if (handshake.success) agreed = handshake.data.result.protocolVersion;
      }
    }
    write(JSON.stringify(value));
  };

  /** Requests have no session: closing the connection cancels what one line has. */
  const cancel = ({ params }: Message) => {
    const pending = params?.requestId === undefined ? undefined : open.get(params.requestId);
    if (params?.requestId === undefined || !pending) return;
    pending.ids.delete(params.requestId);
    if (pending.ids.size === 0) pending.controller.abort();
  };

  const send = async (line: string) => {
    const read = sentIn(line);
    if (typeof read === 'number') {
      const text = 'A line must be one JSON-RPC message, or a batch of them.';
      write(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: read, message: text } }));
      return;
    }
    const messages = read.messages.filter((each) => !isCancellation(each));
    for (const each of read.messages) if (isCancellation(each)) cancel(each);
    if (messages.length === 0) return;
    const sent = { ...read, messages };
    const isWhole = messages.length === read.messages.length;
    const ids = idsOf(sent);
    const pending = { controller: new AbortController(), ids: new Set(ids) };
    for (const each of ids) open.set(each, pending);
    try {
      await post(sent, isWhole ? line : JSON.stringify(messages), pending.controller.signal);
    } catch (error) {
      if (pending.controller.signal.aborted) return;
      const { cause, message: text } = error as Error;
      failWith(sent, `${url.href}: ${cause instanceof Error ? cause.message : text}`);
    } finally {
      for (const each of ids) open.delete(each);
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
      for (const { controller } of open.values()) controller.abort();
      await over;
    },
  };
}

/** The messages of a line; a code of JSON-RPC if there are none. */
function sentIn(line: string): Sent | number {
  const value = parse(line);
  if (value === undefined) return PARSE_ERROR;
  if (Array.isArray(value)) {
    const { data } = batch.safeParse(value);
    return data ? { messages: data, isBatch: true } : INVALID_REQUEST;
  }
  const { data } = message.safeParse(value);
  return data ? { messages: [data], isBatch: false } : INVALID_REQUEST;
}

function idsOf({ messages }: Sent): (string | number)[] {
  return messages.flatMap((each) => each.id ?? []);
}

function isCancellation({ method, params }: Message): boolean {
  return method === 'notifications/cancelled' && params?.requestId !== undefined;
}

/** What HTTP has of the messages. A batch, of a revision without these headers, has the version. */
function headersOf(
  { messages, isBatch }: Sent,
  agreed: string | undefined,
): Record<string, string> {
  const [first] = messages;
  const version = first?.params?._meta?.[PROTOCOL_VERSION] ?? agreed;
  return {
    ...(version === undefined ? {} : { 'MCP-Protocol-Version': version }),
    ...(isBatch || first?.method === undefined ? {} : { 'Mcp-Method': first.method }),
    ...(isBatch || first?.params?.name === undefined ? {} : { 'Mcp-Name': first.params.name }),
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
