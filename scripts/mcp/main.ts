/**
 * `mayfly mcp`: a server of the Model Context Protocol on standard input and output, for clients
 * that start a program. It needs MAYFLY_TOKEN; MAYFLY_URL is http://localhost:3000 by default.
 */
import { serveStdio } from '../../packages/shared/mcp-bridge.ts';

const token = process.env.MAYFLY_TOKEN?.trim() ?? '';
const base = process.env.MAYFLY_URL?.trim() || 'http://localhost:3000';

if (token === '' || !URL.canParse(base)) {
  console.error(
    token === ''
      ? 'mayfly: MAYFLY_TOKEN is not set. Set it to an API token of the workspace, mf_...'
      : `mayfly: MAYFLY_URL is not a URL: "${base}".`,
  );
  process.exit(2);
}

await serveStdio(base, token);
