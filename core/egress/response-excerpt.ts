/** What is kept of a receiver's answer, for the webhook's owner to see what it said. */
import type { Readable } from 'node:stream';

/** So much of the body is read, for so long, and so much of it kept. */
const READ_BYTES = 16 * 1024;
const READ_MS = 1000;
const EXCERPT_BYTES = 1024;

/** Resolves with the beginning of the body once it has ended or enough is there; the stream is over then. */
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

/** The receiver chooses the bytes: what is no UTF-8 is replaced, and NUL too, which not every database keeps. */
function toText(bytes: Buffer): string {
  // As of a stream that goes on: a character cut in two at the end is left out.
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD');
}
