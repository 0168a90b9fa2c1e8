/** The arguments and the parts of the answer that all waiting tools share. */
import * as z from 'zod';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { AppError } from '../../../core/errors.ts';
import { readMark } from '../../../core/messages/mark.ts';
import { type CriteriaRequest, compileCriteria } from '../../../core/matching/criteria.ts';
import type { ExtractedMiss } from '../../../core/waits/wait-for-extracted.ts';
import type { Fence } from '../fence.ts';
import type { ToolContext, ToolRequest } from '../tool.ts';

/** Clients end a call after 60 s. */
const LONGEST_SECONDS = 50;
const PROGRESS_MS = 10_000;

export const waitInput = z.strictObject({
  mailbox: z.string().describe('The name of the mailbox.'),
  from: z
    .string()
    .min(1)
    .optional()
    .describe('The exact address of the sender, or "@domain" for any address of a domain.'),
  to: z
    .string()
    .min(1)
    .optional()
    .describe('The exact address of a recipient, or "@domain" for any address of a domain.'),
  subject: z.string().min(1).max(998).optional().describe('Text that the subject contains.'),
  mark: z
    .string()
    .optional()
    .describe('Only messages that became visible after this mark of an earlier answer.'),
  timeout: z
    .int()
    .min(0)
    .max(LONGEST_SECONDS)
    .default(25)
    .describe('How long to wait, in seconds. 0 answers at once.'),
});

export const waitOutput = z.strictObject({
  outcome: z.enum(['matched', 'timeout']).describe('"timeout" means that nothing has arrived yet.'),
  mark: z.string().describe('Pass it as "mark" to wait for later messages only.'),
  settled: z
    .boolean()
    .describe(
      'With "timeout": false if mail that was accepted can still become visible. Then wait again.',
    ),
});

export const missOutput = z
  .array(z.strictObject({ id: z.string(), failed: z.array(z.string()) }))
  .describe(
    'The messages that match the most criteria, each with the criteria that it does not match, ' +
      'or "code" or "link" if it has none.',
  );

type WaitInput = z.output<typeof waitInput>;

/** What a tool asks of a message besides the arguments. */
export type ExtractedCriterion = Pick<CriteriaRequest, 'hasCode' | 'link'>;

export type ReadWait = Awaited<ReturnType<typeof readWait>>;

/**
 * Runs the wait of a tool.
 * @param criterion is added to those of the arguments
 * @throws {AppError} `not_found` for the mailbox, `invalid_request` and `invalid_mark` for the
 *   mark, `unavailable` if the client is gone.
 */
export async function runWait<Result>(
  call: ToolContext,
  input: WaitInput,
  request: ToolRequest,
  wait: (read: ReadWait) => Promise<Result | null>,
  criterion: ExtractedCriterion = {},
): Promise<Result> {
  const read = await readWait(call, input, request, criterion);
  const result = await withProgress(request, input.timeout, () => wait(read));
  if (!result) throw new AppError('unavailable', 'The client closed the connection.');
  return result;
}

async function readWait(
  { context, caller, disconnected: gone }: ToolContext,
  { mailbox: name, from, to, subject, mark, timeout }: WaitInput,
  request: ToolRequest,
  criterion: ExtractedCriterion,
) {
  const mailbox = await requireMailbox(context, caller, name);
  const criteria = compileCriteria({
    ...(from === undefined ? {} : { from: [from] }),
    ...(to === undefined ? {} : { to: [to] }),
    ...(subject === undefined ? {} : { subject }),
    ...criterion,
  });
  return {
    waiting: { caller, mailbox, gone: AbortSignal.any([gone, request.signal]) },
    asked: {
      ...{ criteria, timeout },
      ...(mark === undefined ? {} : { after: await readMark(context, mailbox, mark) }),
    },
  };
}

/** The text of an answer to a wait that ended without a message. */
export function nothingYet(tool: string): string {
  return `Nothing yet. Call ${tool} again with the "mark" of this answer.`;
}

/** Adds the subjects of the messages that came nearest. */
export function presentMisses(fence: Fence, nearest: ExtractedMiss[]): z.output<typeof missOutput> {
  for (const { messageId, subject } of nearest) fence.add(`subject of ${messageId}`, subject, 200);
  return nearest.map(({ messageId, failed }) => ({ id: messageId, failed }));
}

/** Reports progress every 10 s while the work runs, if the client gave a token for it. */
async function withProgress<Result>(
  { _meta, notify }: ToolRequest,
  timeout: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return work();
  let progress = 0;
  const timer = setInterval(() => {
    progress += PROGRESS_MS / 1000;
    const params = { progressToken, progress, total: timeout, message: 'Waiting for mail.' };
    // A client that is gone ends the work.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }, PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
