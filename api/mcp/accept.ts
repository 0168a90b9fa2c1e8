/**
 * What a client of `/mcp` accepts (RFC 9110 section 12.5.1). The SDK requires that both types are
 * named, and answers the revisions of 2024 and 2025 with a stream.
 */
import type { Request } from 'express';
import * as z from 'zod';

const JSON_TYPE = 'application/json';
const STREAM = 'text/event-stream';
/** What the SDK asks for. */
export const ACCEPT_BOTH = `${JSON_TYPE}, ${STREAM}`;

/** `either` for a client that names a stream besides JSON. A range of all types gets JSON. */
type Accepted = 'json' | 'stream' | 'either';

/** Null if the client takes neither. */
export function acceptedBy(req: Request): Accepted | null {
  const header = req.get('accept')?.trim() ?? '';
  if (header === '') return 'json';
  const stream = req.accepts(STREAM) !== false;
  if (req.accepts(JSON_TYPE) === false) return stream ? 'stream' : null;
  return stream && header.toLowerCase().includes(STREAM) ? 'either' : 'json';
}

const answer = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  method: z.undefined().optional(),
});

/**
 * The response, or the responses to a batch, in a stream of server-sent events. Notifications of
 * progress are left out.
 */
export function answersIn(stream: string, { isBatch }: { isBatch: boolean }): unknown {
  const answers = stream
    .split(/\r?\n\r?\n/)
    .map(dataOf)
    .filter((data) => data !== '')
    .map((data) => JSON.parse(data) as unknown)
    .filter((message) => answer.safeParse(message).success);
  return isBatch ? answers : answers[0];
}

function dataOf(event: string): string {
  return event
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length))
    .join('\n')
    .trim();
}
