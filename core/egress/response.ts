/** What is read of a receiver's response: the start of its body, and Retry-After. */
import type { Readable } from 'node:stream';

/** Limits: bytes read, time spent reading, bytes kept. */
const READ_BYTES = 16 * 1024;
const READ_MS = 1000;
const EXCERPT_BYTES = 1024;

/** Upper limit of a delay; longer than any delay of the retry schedule. */
const MAX_MS = 14 * 86_400_000;

/** The three date formats that recipients must accept (RFC 9110 section 5.6.7). */
const HTTP_DATE = new RegExp(
  [
    String.raw`^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$`,
    String.raw`^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$`,
    String.raw`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$`,
  ].join('|'),
);

/**
 * Resolves with the excerpt that is shown to the owner of the webhook, the start of the body, once
 * the body has ended or a limit is reached, then destroys the stream.
 */
export function readExcerpt(body: Readable): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = () => {
      clearTimeout(timer);
      body.destroy();
      resolve(toText(Buffer.concat(chunks).subarray(0, EXCERPT_BYTES)));
    };
    const timer = setTimeout(finish, READ_MS);
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= READ_BYTES) finish();
    });
    for (const event of ['end', 'error', 'close']) body.once(event, finish);
  });
}

/** The bytes are untrusted: invalid UTF-8 is replaced, and so is NUL, which PostgreSQL rejects. */
function toText(bytes: Buffer): string {
  // Decoded as an unfinished stream, which drops a character that was cut at the end.
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD');
}

/**
 * Milliseconds from now until the time in Retry-After, given in seconds or as a date (RFC 9110
 * section 10.2.3), at most two weeks; null for an invalid value.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const asked = /^\d+$/.test(value) ? Number(value) * 1000 : parseDate(value) - now;
  return Number.isNaN(asked) ? null : Math.min(Math.max(0, asked), MAX_MS);
}

/** Returns NaN for an invalid HTTP date, where `Date.parse` accepts many other formats. */
function parseDate(value: string): number {
  if (!HTTP_DATE.test(value)) return NaN;
  return Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
}
