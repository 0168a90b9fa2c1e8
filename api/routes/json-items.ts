/** Responses with objects that are JSON already. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { requireLiveToken } from '../../core/auth/transaction-as.ts';
import type { Context } from '../../core/context.ts';
import { recheckToken } from '../auth/authenticate.ts';
import { isHungUp } from '../http/request.ts';
import { type Writer, openWriter } from '../http/unread.ts';

/** An object as JSON, by itself and as an element of an array. Both share their bytes. */
export interface JsonItem {
  json: Buffer;
  /** The JSON after a comma, as an array has all elements but the first. */
  following: Buffer;
}

/** A message that is read when it is written: its bodies are large. */
export type LaterItem = () => Promise<JsonItem[]>;

const COMMA = Buffer.from(',');
const OPENING = Buffer.from('{"messages":[');
/** Bytes that are written without waiting for the client. */
const AT_ONCE = 512 * 1024;

/**
 * @param json of one object: its bytes after a comma, or without it in parts, which are copied
 */
export function jsonItem(json: Buffer | Buffer[]): JsonItem {
  const following = Buffer.isBuffer(json) ? json : Buffer.concat([COMMA, ...json]);
  return { json: following.subarray(1), following };
}

/**
 * Sends JSON text like `res.json`. @throws {AppError} `unauthorized` if the token was revoked
 * meanwhile.
 */
export async function sendJson(
  context: Pick<Context, 'config' | 'now' | 'store'>,
  res: Response,
  json: Buffer,
): Promise<void> {
  await sendParts(context, res, [json]);
}

/**
 * Sends an object with the array `messages` and the fields of `rest`, like {@link sendJson}. The
 * items are written as they are: one buffer for all would be garbage after the request
 * (docs/decisions.md, 10). With items that are read later, one of them is in memory at a time.
 */
export async function sendMessages(
  context: Pick<Context, 'config' | 'now' | 'store'>,
  res: Response,
  messages: (JsonItem | LaterItem)[],
  rest: object,
): Promise<void> {
  const known = messages.filter((item) => typeof item !== 'function');
  if (known.length === messages.length) await sendKnown(context, res, known, rest);
  else if (context.config.validateResponses || messages.length === 1) {
    const all = await Promise.all(messages.map(itemsNow));
    await sendKnown(context, res, all.flat(), rest);
  } else await sendLater(context, res, messages, rest);
}

async function itemsNow(item: JsonItem | LaterItem): Promise<JsonItem[]> {
  return typeof item === 'function' ? item() : [item];
}

/** Between items, the token is checked again, as in {@link sendArray}. */
async function sendLater(
  context: Pick<Context, 'now' | 'store'>,
  res: Response,
  messages: (JsonItem | LaterItem)[],
  rest: object,
): Promise<void> {
  let writer: Writer | undefined;
  let start = OPENING;
  for (const message of messages) {
    for (const { json } of await itemsNow(message)) {
      if (writer) await requireLiveToken(context, res.locals.caller);
      else {
        await recheckToken(context, res);
        res.type('json');
        writer = openWriter(res);
      }
      res.locals.unread.settle(json.length);
      await writer.write(start);
      await writer.write(json);
      if (writer.isGone()) return;
      start = COMMA;
    }
    res.locals.unread.settle(0);
  }
  const closing = closingOf(rest);
  res.end(writer ? closing : Buffer.concat([OPENING, closing]));
}

function closingOf(rest: object): Buffer {
  return Buffer.from(`],${JSON.stringify(rest).slice(1)}`);
}

async function sendKnown(
  context: Pick<Context, 'config' | 'now' | 'store'>,
  res: Response,
  messages: JsonItem[],
  rest: object,
): Promise<void> {
  const items = messages.map(({ json, following }, n) => (n === 0 ? json : following));
  await sendParts(context, res, [OPENING, ...items, closingOf(rest)]);
}

/** Sends the bytes of a text like `res.send`, but computes no ETag. @throws {AppError} as above. */
export async function sendBytes(
  context: Pick<Context, 'config' | 'now' | 'store'>,
  res: Response,
  type: 'html' | 'text/plain',
  bytes: Buffer,
): Promise<void> {
  await sendParts(context, res, [bytes], type);
}

/** Sends JSON text in parts, like {@link sendJson}. */
export async function sendJsonParts(
  context: Pick<Context, 'config' | 'now' | 'store'>,
  res: Response,
  parts: Buffer[],
): Promise<void> {
  await sendParts(context, res, parts);
}

async function sendParts(
  context: Pick<Context, 'config' | 'now' | 'store'>,
  res: Response,
  parts: Buffer[],
  type = 'json',
): Promise<void> {
  if (context.config.validateResponses) {
    const text = Buffer.concat(parts).toString(); // the response validator needs a value
    if (type === 'json') res.json(JSON.parse(text));
    else res.type(type).send(text);
    return;
  }
  await recheckToken(context, res);
  if (res.req.fresh) {
    res.status(304).end(); // If-None-Match: * (RFC 9110 section 13.1.2)
    return;
  }
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  res.locals.unread.settle(bytes);
  res.type(type).setHeader('Content-Length', bytes);
  if (bytes > AT_ONCE) {
    const writer = openWriter(res);
    for (const part of parts) await writer.write(part);
    res.end();
    return;
  }
  for (const part of parts.slice(0, -1)) res.write(part);
  res.end(parts.at(-1));
}

/**
 * Sends an array of any length like `res.json`, with one page of it in memory. Between pages, the
 * token is checked again: an array cannot end with an error, so the connection is destroyed.
 * @throws {AppError} as `pages` does; `unauthorized` if the token was revoked meanwhile.
 */
export async function sendArray<Row>(
  context: Pick<Context, 'config' | 'now' | 'store'>,
  res: Response,
  pages: AsyncGenerator<Row[], void>,
  present: (rows: Row[]) => object[],
): Promise<void> {
  const { done, value } = await pages.next();
  const first = done ? [] : value;
  const second = await pages.next();
  if (second.done || context.config.validateResponses) {
    const rest: Row[][] = second.done ? [] : [second.value];
    for await (const page of pages) rest.push(page);
    res.json(present([first, ...rest].flat()));
    return;
  }
  await recheckToken(context, res);
  res.type('json');
  const text = async function* () {
    yield `[${itemsOf(present(first))},${itemsOf(present(second.value))}`;
    for await (const page of pages) {
      await requireLiveToken(context, res.locals.caller);
      yield `,${itemsOf(present(page))}`;
    }
    yield ']';
  };
  await pipeline(Readable.from(text()), res).catch((error: unknown) => {
    if (!isHungUp(error)) throw error;
  });
}

function itemsOf(items: object[]): string {
  return JSON.stringify(items).slice(1, -1);
}
