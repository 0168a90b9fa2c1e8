import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '../core/errors.js';
import { newId } from '../core/ids.js';

/** What the application says of every answer, as far as it means anything to an error. */
const HEADERS = [
  'Connection: close',
  'Content-Type: application/json; charset=utf-8',
  'Cache-Control: no-store',
  "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy: no-referrer',
  'X-Content-Type-Options: nosniff',
  'X-Frame-Options: SAMEORIGIN',
];

/** A whole answer of the one error shape, for a connection that no application looks after. */
export function plainAnswer(
  status: number,
  code: ErrorCode,
  error: string,
): { requestId: string; bytes: string } {
  const requestId = newId('request');
  const body = JSON.stringify({ error, code, requestId });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...HEADERS,
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return { requestId, bytes: `${lines.join('\r\n')}\r\n\r\n${body}` };
}
