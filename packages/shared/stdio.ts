import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openBridge } from './mcp-bridge.ts';

/**
 * Serves the Model Context Protocol on standard input and output, one message a line, until the
 * input ends.
 * @param base address of the service, which can end with a path
 */
export async function serveStdio(base: string, token: string): Promise<void> {
  const url = new URL(`${base.replace(/\/+$/, '')}/mcp`);
  const bridge = openBridge({ url, token }, (line) => {
    process.stdout.write(`${line}\n`);
  });
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on('line', (line) => {
    if (line.trim() !== '') void bridge.send(line);
  });
  await once(lines, 'close');
  await bridge.close();
}
