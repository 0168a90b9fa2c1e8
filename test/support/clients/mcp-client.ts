/** The official clients of the Model Context Protocol: both revisions, over HTTP and stdio. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { programPath } from '../process/process.ts';

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export const TRANSPORTS = ['http', 'stdio'] as const;
export type Revision = (typeof REVISIONS)[number];

export interface ToolAnswer {
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  content: { type: string; text: string }[];
}

export interface McpClient {
  readonly tools: () => Promise<{ name: string; inputSchema: unknown; outputSchema?: unknown }[]>;
  readonly instructions: () => string | undefined;
  /** @param onProgress makes the client send a progress token */
  readonly call: (
    name: string,
    args?: Record<string, unknown>,
    onProgress?: (progress: number) => void,
  ) => Promise<ToolAnswer>;
  readonly close: () => Promise<void>;
}

interface Target {
  /** Of the server, without a path. */
  url: string;
  token: string;
  revision?: Revision;
  transport?: (typeof TRANSPORTS)[number];
}

const IDENTITY = { name: 'test', version: '1' };

/** The client of the second line for revision 2026-07-28, that of the first line for 2025-11-25. */
export async function connectMcp({
  url,
  token,
  revision = '2026-07-28',
  transport = 'http',
}: Target): Promise<McpClient> {
  const address = new URL('/mcp', url);
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const program = {
    command: process.execPath,
    args: [programPath('scripts/mcp/main')],
    env: { MAYFLY_URL: url, MAYFLY_TOKEN: token },
  };
  if (revision === '2026-07-28') {
    const client = new Client(IDENTITY, { versionNegotiation: { mode: { pin: revision } } });
    await client.connect(
      transport === 'http'
        ? new StreamableHTTPClientTransport(address, { requestInit })
        : new StdioClientTransport(program),
    );
    return wrapped(client, (params, options) => client.callTool(params, options));
  }
  const client = new FirstClient(IDENTITY);
  const channel =
    transport === 'http' ? new FirstHttp(address, { requestInit }) : new FirstStdio(program);
  await client.connect(channel);
  return wrapped(client, (params, options) => client.callTool(params, undefined, options));
}

/** What the clients of both lines have in common. */
interface AnyClient {
  listTools: () => Promise<{
    tools: { name: string; inputSchema: unknown; outputSchema?: unknown }[];
  }>;
  getInstructions: () => string | undefined;
  close: () => Promise<void>;
}

function wrapped(
  client: AnyClient,
  callTool: (
    params: { name: string; arguments: Record<string, unknown> },
    options?: { onprogress: (report: { progress: number }) => void },
  ) => Promise<unknown>,
): McpClient {
  return {
    tools: async () => (await client.listTools()).tools,
    instructions: () => client.getInstructions(),
    call: async (name, args = {}, onProgress) =>
      (await callTool(
        { name, arguments: args },
        onProgress && {
          onprogress: ({ progress }) => {
            onProgress(progress);
          },
        },
      )) as ToolAnswer,
    close: () => client.close(),
  };
}
