import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** All of standard input. */
export async function readStandardInput(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) text += String(chunk);
  return text;
}

/** All of standard input, as it is. */
export async function readStandardBytes(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array); // no encoding is set
  return Buffer.concat(chunks);
}

/** One line. On a terminal, asks for it and does not show what is typed. */
export async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await readStandardInput()).trim();
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
