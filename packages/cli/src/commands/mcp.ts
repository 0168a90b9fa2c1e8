import type { Command } from '../command.ts';

export const mcp: Command = {
  name: 'mcp',
  summary: 'Connect an MCP client on standard input and output to the service',
  options: {},
  examples: ['mayfly mcp', 'claude mcp add mayfly -- mayfly mcp'],
  run: async ({ connect, login }) => {
    await connect();
    const { url, token } = await login();
    const { serveStdio } = await import('../../../shared/stdio.ts');
    await serveStdio(url, token);
  },
};
