/**
 * The SDK behind Express: one handler and one server for each request. Loaded with the first one.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import * as z from 'zod';
import { openMcpServer } from './server.ts';
import type { Call } from './tool.ts';

const waitCall = z.looseObject({ params: z.looseObject({ name: z.string().startsWith('wait_') }) });
const waits = (body: unknown) => waitCall.safeParse(body).success;

/** Answers the message in the body of the request. */
export async function answerMcp(call: Call, req: HttpRequest, res: HttpResponse): Promise<void> {
  const { log, config } = call.context;
  const handler = createMcpHandler(() => openMcpServer(call), {
    legacy: 'stateless',
    // A stream has keep-alives, which a wait needs behind proxies that give up without a byte.
    responseMode: waits(req.body) ? 'sse' : 'auto',
    maxSubscriptions: 0, // the lists of tools do not change during a connection
    onerror: (error) =>
      log.child({ subsystem: 'mcp' }).debug('message refused', { reason: error.message }),
  });
  const request = new Request(new URL('/mcp', config.http.publicUrl), {
    method: 'POST',
    headers: headersOf(req),
    signal: call.gone,
  });
  const response = await handler.fetch(request, { parsedBody: req.body as unknown });
  res.status(response.status);
  for (const [name, value] of response.headers) res.setHeader(name, value);
  if (!response.body) {
    res.end();
    return;
  }
  res.flushHeaders();
  await pipeline(Readable.fromWeb(response.body), res).catch((error: unknown) => {
    if (!call.gone.aborted) throw error;
  });
}

/** Node joins repeated fields, except those that no client of this protocol sends. */
function headersOf({ headers }: HttpRequest): Headers {
  const copy = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && name !== 'authorization') copy.set(name, value);
  }
  return copy;
}
