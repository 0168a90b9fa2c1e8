import type { Response, Test } from 'supertest';

/** Reads a response as bytes, regardless of its type. */
export function asBytes(request: Test): Test {
  return request.buffer(true).parse((stream, done) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      done(null, Buffer.concat(chunks));
    });
  });
}

/** The bytes of a response that {@link asBytes} has read. */
export function bytesOf(answer: Response): Buffer {
  return answer.body as Buffer;
}
