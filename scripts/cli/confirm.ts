import { createInterface } from 'node:readline';

/**
 * Prints the question to stderr and resolves to whether the next line of `input` is `expected`. End
 * of input resolves to false.
 */
export async function confirm(
  question: string,
  expected: string,
  input: NodeJS.ReadableStream = process.stdin,
): Promise<boolean> {
  process.stderr.write(question);
  const lines = createInterface({ input, terminal: false });
  for await (const line of lines) return line.trim() === expected;
  process.stderr.write('\n');
  return false;
}
