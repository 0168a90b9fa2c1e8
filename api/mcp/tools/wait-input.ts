/** The arguments of all waiting tools, and how they wait. */
import * as z from 'zod';
import { type MailboxRow, requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { AppError } from '../../../core/errors.ts';
import { numberOfMessage, readMark } from '../../../core/messages/mark.ts';
import { type CriteriaRequest, compileCriteria } from '../../../core/matching/criteria.ts';
import type { Context } from '../../../core/context.ts';
import type { ToolContext, ToolRequest } from '../tool.ts';
import { LISTED } from './others.ts';

/** Clients end a call after 60 s. */
const LONGEST_SECONDS = 50;
const PROGRESS_MS = 10_000;

export const waitInput = z.strictObject({
  mailbox: z.string(),
  from: z.string().min(1).optional().describe('Sender: an exact address, or "@domain".'),
  to: z.string().min(1).optional().describe('Recipient: an exact address, or "@domain".'),
  subject: z.string().min(1).max(998).optional().describe('Text that the subject contains.'),
  mark: z
    .string()
    .optional()
    .describe('Only later messages: the mark of an answer, or the id of a message.'),
  timeout: z.int().min(0).max(LONGEST_SECONDS).default(25).describe('Seconds.'),
});

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
      ...{ criteria, timeout, listed: LISTED },
      ...(mark === undefined ? {} : { after: await numberUpTo(context, mailbox, mark) }),
    },
  };
}

/** @param mark a mark, or the id of a message */
function numberUpTo(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: MailboxRow,
  mark: string,
): Promise<number> {
  const isId = mark.startsWith('msg_');
  return isId ? numberOfMessage(context, mailbox, mark) : readMark(context, mailbox, mark);
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
