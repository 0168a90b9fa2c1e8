import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Streams } from './terminal.ts';

/** All of standard input. */
export async function readStandardInput({ stdin }: Pick<Streams, 'stdin'>): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) text += String(chunk);
  return text;
}

/** All of standard input, as it is. */
export async function readStandardBytes({ stdin }: Pick<Streams, 'stdin'>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Uint8Array); // no encoding is set
  return Buffer.concat(chunks);
}

/** One line. On a terminal, asks for it and does not show what is typed. */
export async function readSecret(question: string, streams: Streams): Promise<string> {
  const { stdin, stderr } = streams;
  if (!stdin.isTTY) return (await readStandardInput(streams)).trim();
  stderr.write(question);
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  const answer = await lines.question('');
  lines.close();
  stderr.write('\n');
  return answer.trim();
}
