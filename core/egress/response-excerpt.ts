/** The excerpt of a receiver's response that is shown to the owner of the webhook. */
import type { Readable } from 'node:stream';

/** Limits: bytes read, time spent reading, bytes kept. */
const READ_BYTES = 16 * 1024;
const READ_MS = 1000;
const EXCERPT_BYTES = 1024;

/**
 * Resolves with the start of the body once the body has ended or a limit is reached, then destroys
 * the stream.
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
