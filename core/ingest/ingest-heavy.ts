/**
 * Ingest of heavy mail. It is parsed in a child process when it gets its turn
 * (heavy-mail-queue.ts): first in the quick lane, above its limit in the slow lane, above that only
 * its headers. The exceeded limit is recorded, so no later run spends the same time again.
 *
 * Only one mail that was active in several crashes of a worker is handled at a time, so the next
 * crash is attributed to one mail. Mail that cannot be stored in any form is quarantined: its job
 * and raw bytes stay until an operator retries or removes it.
 */
import type { Context } from '../context.ts';
import type { Admission, HeavyMail, ParseLane } from './heavy-mail-queue.ts';
import type { AcceptedMail } from '../intake/accepted-mail.ts';
import type { ParseLimit } from '../mime/parser-pool.ts';
import { workspacesOf } from '../../db/statements/mailboxes.ts';
import { type IngestResult, type Parse, ingest, logFailure, quarantine } from './ingest-steps.ts';

/** `requeue`: the mail gets no slot to wait in, and is to be run again after `delayMs`. */
type HeavyResult = IngestResult | Extract<Admission, { kind: 'requeue' }>;

/** @throws {RunLater} if the mail gets no slot to wait in. */
export async function ingestHeavy(
  context: Context,
  accepted: AcceptedMail,
  isSuspect: boolean,
): Promise<HeavyResult> {
  const { parsePool, poison } = context.ingest;
  const { ingestId, size } = accepted;
  const workspaceIds = await workspaceIdsOf(context, accepted);
  const mail: HeavyMail = { ingestId, workspaceIds, size, isSuspect };
  const handle = isSuspect ? ingestSuspect : ingest;
  let exceeded = await poison.lastExceeded(ingestId);
  if (exceeded === null) {
    const parse: Parse = (raw) => parsePool.parseQuickly(raw, size);
    const result = await withTurn(context, mail, 'quick', () => handle(context, accepted, parse));
    if (result.kind !== 'unparsed') return result;
    exceeded = 'quick';
    await logFailure(context, poison.recordExceeded(ingestId, exceeded));
  }
  const parse = exceeded === 'quick' ? slowly(context, ingestId) : headersAfter(context, exceeded);
  const result = await withTurn(context, mail, 'slow', () => handle(context, accepted, parse));
  if (result.kind === 'done') await logFailure(context, poison.clear(ingestId));
  return result;
}

const slowly =
  (context: Pick<Context, 'log' | 'ingest'>, ingestId: string): Parse =>
  (raw) =>
    context.ingest.parsePool.parse(raw, (limit) =>
      logFailure(context, context.ingest.poison.recordExceeded(ingestId, limit)),
    );

const headersAfter =
  ({ ingest: { parsePool } }: Pick<Context, 'ingest'>, limit: ParseLimit): Parse =>
  (raw) =>
    parsePool.parseHeadersAfter(raw, limit);

async function workspaceIdsOf(
  { ingest: { heavyMailQueue }, store }: Pick<Context, 'store' | 'ingest'>,
  { ingestId, messages }: AcceptedMail,
): Promise<readonly string[]> {
  const requeued = heavyMailQueue.requeued(ingestId);
  if (requeued) return requeued;
  const ids = messages.map(({ mailboxId }) => mailboxId);
  return (await store.ask(workspacesOf, ids)).map(({ id }) => id);
}

/** @throws {RunLater} if the mail gets no slot to wait in. */
async function withTurn(
  { ingest: { heavyMailQueue } }: Pick<Context, 'ingest'>,
  mail: HeavyMail,
  lane: ParseLane,
  work: () => Promise<IngestResult>,
): Promise<HeavyResult> {
  const admission = await heavyMailQueue.acquire(mail, lane);
  if (admission.kind === 'requeue') return admission;
  try {
    return await work();
  } finally {
    admission.release();
  }
}

/**
 * Number of worker crashes with this mail as the only suspect, after which only its headers are
 * parsed.
 */
const CRASHES_FOR_HEADERS = 3;
const CRASHES_FOR_QUARANTINE = 6;

/** Called when the mail gets its turn: waiting mail cannot crash the process. */
async function ingestSuspect(
  context: Context,
  accepted: AcceptedMail,
  parse: Parse,
): Promise<IngestResult> {
  const { poison, parsePool } = context.ingest;
  const { ingestId } = accepted;
  const crashes = await poison.recordStart(ingestId);
  if (crashes >= CRASHES_FOR_QUARANTINE) {
    return quarantine(context, accepted, 'handling the mail crashes the worker');
  }
  const parseHeaders: Parse = (raw) =>
    parsePool.parseHeaders(raw, 'parsing the mail crashed the worker');
  let isDone = false;
  try {
    const read = crashes >= CRASHES_FOR_HEADERS ? parseHeaders : parse;
    const result = await ingest(context, accepted, read);
    isDone = result.kind === 'done';
    return result;
  } finally {
    // The process has survived the mail, whatever the outcome.
    await logFailure(context, isDone ? poison.clear(ingestId) : poison.recordEnd(ingestId));
  }
}
