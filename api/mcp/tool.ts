/** What every tool has in common: registration, the form of its answer, and errors. */
import type {
  CallToolResult,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Caller } from '../../core/auth/caller.ts';
import { requireLiveUnlessChanged } from '../../core/auth/transaction-as.ts';
import type { Context } from '../../core/context.ts';
import { AppError, asAppError } from '../../core/errors.ts';
import type { WaitServices } from '../../core/waits/wait.ts';
import type { Admit } from '../../core/limits/byte-budget.ts';
import type { Fence } from './fence.ts';

/** The HTTP request that calls a tool. */
export interface ToolContext {
  context: Context;
  caller: Caller;
  waits: WaitServices;
  /** Aborted when the client closes the connection. */
  disconnected: AbortSignal;
  /** Reserves memory before a body is read. */
  admit: Admit;
}

export type ToolRequest = ServerContext['mcpReq'];

/** A tool's answer: what is ours as data, and a sender's words in a fence. */
export interface ToolResult {
  data: Record<string, unknown>;
  fence?: Fence;
  /** Sentences for the model, before the data. */
  note?: string;
}

interface Described {
  name: string;
  title: string;
  description: string;
  /** Set if it changes the workspace. The role `reader` cannot call such a tool. */
  changes?: 'creates' | 'deletes';
}

/** A tool as it is written: `run` gets valid arguments. */
interface Written<Input extends z.ZodObject> extends Described {
  input: Input;
  run: (call: ToolContext, input: z.output<Input>, request: ToolRequest) => Promise<ToolResult>;
}

export interface Tool extends Described {
  input: z.ZodObject;
  run: (call: ToolContext, input: unknown, request: ToolRequest) => Promise<ToolResult>;
}

export function defineTool<Input extends z.ZodObject>(tool: Written<Input>): Tool {
  return {
    ...tool,
    run: async (call, input, request) => tool.run(call, validArguments(tool.input, input), request),
  };
}

function validArguments<Input extends z.ZodObject>(schema: Input, given: unknown) {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new AppError('invalid_request', `Invalid arguments. ${faults.join('. ')}.`);
}

/**
 * Registers a tool. One that the caller's role does not allow is disabled. Without output schemas,
 * which would take as many tokens of a model as all the rest.
 */
export function addTool(server: McpServer, call: ToolContext, tool: Tool): void {
  const { name, title, description, input, changes } = tool;
  const annotations = {
    readOnlyHint: changes === undefined,
    destructiveHint: changes === 'deletes',
    openWorldHint: false,
  };
  const registered = server.registerTool(
    name,
    { title, description, annotations, inputSchema: plainSchema(input) },
    (given, { mcpReq }) => answer(call, tool, given, mcpReq),
  );
  if (changes !== undefined && call.caller.token.role === 'reader') registered.disable();
}

async function answer(
  call: ToolContext,
  tool: Tool,
  given: unknown,
  request: ToolRequest,
): Promise<CallToolResult> {
  try {
    const result = await tool.run(call, given, request);
    await requireLiveUnlessChanged(call.context, call.caller);
    return present(result);
  } catch (error) {
    return presentError(call.context, tool.name, error);
  }
}

/** Some clients show a model only the structured content, others only the first block of text. */
function present({ data, fence, note = '' }: ToolResult): CallToolResult {
  const words = fence?.lines ?? [];
  const ours = fence ? { ...data, fence: words.length > 0 ? fence.id : null } : data;
  const text = [...(note === '' ? [] : [note]), JSON.stringify(ours), ...words].join('\n');
  return {
    structuredContent: { ...(note === '' ? {} : { note }), ...ours, ...(fence && { words }) },
    content: [{ type: 'text', text }],
  };
}

/** How the REST API takes a mark; a tool has it in its answers. */
const MARK_REQUEST = /GET \/api\/\S*mark\b/;

/** Details that are not for the caller are only logged. */
function presentError(
  context: Pick<Context, 'log'>,
  tool: string,
  thrown: unknown,
): CallToolResult {
  const error = asAppError(thrown);
  if (error === null || (error.status >= 500 && error.cause !== undefined)) {
    const log = context.log.child({ subsystem: 'mcp' });
    log.error('tool failed', { tool, error: error?.cause ?? thrown });
  }
  const text = error
    ? `${error.message.replace(MARK_REQUEST, 'the mark of an answer')} (${error.code})`
    : 'Internal error. Call the tool again. (internal)';
  return { isError: true, structuredContent: { note: text }, content: [{ type: 'text', text }] };
}

const LEFT_OUT = new Set(['$schema', 'additionalProperties', 'propertyNames']);
/** The bounds that zod gives to integers. */
const SAFE_INTEGERS = new Set<unknown>([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);

/**
 * The schema as clients of language models take it: Gemini and others refuse the keywords above,
 * which say nothing that a model needs. The tool validates its arguments by the full schema: the
 * library answers wrong ones without structured content.
 */
function plainSchema(schema: z.ZodObject): StandardSchemaWithJSON {
  const standard = schema['~standard'];
  const { jsonSchema } = standard;
  return {
    '~standard': {
      ...standard,
      validate: (value) => ({ value }),
      jsonSchema: { ...jsonSchema, input: (options) => plainObject(jsonSchema.input(options)) },
    },
  };
}

function plain(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(plain);
  return typeof part === 'object' && part !== null ? plainObject(part) : part;
}

function plainObject(part: object): Record<string, unknown> {
  const kept = Object.entries(part).filter(
    ([key, value]) => !LEFT_OUT.has(key) && !SAFE_INTEGERS.has(value),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, plain(value)]));
}
