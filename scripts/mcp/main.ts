/**
 * `mayfly mcp`: a server of the Model Context Protocol on standard input and output, for clients
 * that start a program. It needs MAYFLY_TOKEN; MAYFLY_URL is http://localhost:3000 by default.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openBridge } from './bridge.js';

const { MAYFLY_TOKEN: token = '', MAYFLY_URL: base = 'http://localhost:3000' } = process.env;

if (token === '' || !URL.canParse('/mcp', base)) {
  console.error(
    token === ''
      ? 'mayfly: MAYFLY_TOKEN is not set. Set it to an API token of the workspace, mf_...'
      : `mayfly: MAYFLY_URL is not a URL: "${base}".`,
  );
  process.exit(2);
}

const bridge = openBridge({ url: new URL('/mcp', base), token }, (line) => {
  process.stdout.write(`${line}\n`);
});
const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on('line', (line) => {
  if (line.trim() !== '') void bridge.send(line);
});
await once(lines, 'close');
await bridge.close();
