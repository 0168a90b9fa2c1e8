import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends these bytes (as Latin-1) and reads until the server closes the connection. */
export async function speak(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (part: Buffer) => (answer += part.toString('latin1')));
  socket.on('error', () => {
    // data before a reset is returned
  });
  socket.write(Buffer.from(bytes, 'latin1'));
  await once(socket, 'close');
  return answer;
}

/** The statuses of the responses, in order. */
export function statusesIn(answers: string): number[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
