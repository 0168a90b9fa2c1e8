import type { Response, Test } from 'supertest';

/** Reads an answer as bytes, whatever type it says it has. */
export function asBytes(request: Test): Test {
  return request.buffer(true).parse((stream, done) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      done(null, Buffer.concat(chunks));
    });
  });
}

/** The bytes of an answer that {@link asBytes} read. */
export function bytesOf(answer: Response): Buffer {
  return answer.body as Buffer;
}
