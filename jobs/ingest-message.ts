import { type AcceptedMail, acceptedMail } from '../core/ingest.js';
import type { Context } from '../core/context.js';
import { errorText } from '../core/errors.js';
import type { Draft, Mail } from '../core/mail.js';
import type { RawSource } from '../core/raw-mail.js';
import { storeSomehow } from '../core/store-somehow.js';
import { liveMailboxIds } from '../db/mailboxes.js';
import { type StoreOutcome, mailByIngestId } from '../db/mails.js';
import { Refused } from '../db/store.js';
import { ENDLESS, GiveUp, RunLater, cappedBackoff, defineJob } from './job.js';

/**
 * Accepted mail into the database. What was answered with 250 is tried until it is stored, however often it
 * fails for reasons that are not its own. Repeats are harmless, since a mail is stored once for its ingest id.
 *
 * Mail that is large or slow to parse, or that a worker died with, is parsed in a process of its own and a few
 * at a time; it takes a part of the worker's places only, so that other mail flows on.
 * Mail that has been under way in several deaths is a suspect and handled alone, so that the next death can
 * be counted against it; it then has only its headers read. What cannot be stored in any form is left in the
 * failed set with its raw bytes, where an operator may try it again or remove it.
 */
export const ingestMessage = defineJob<AcceptedMail>({
  name: 'ingest-message',
  payload: acceptedMail,
  options: {
    attempts: ENDLESS,
    backoff: { type: 'capped' },
    removeOnComplete: true,
    stackTraceLimit: 1,
  },
  worker: {
    concurrency: ({ config }) => config.worker.concurrency,
    lockDuration: 10_000,
    stalledInterval: 3_000,
    maxStalledCount: ENDLESS,
  },
  backoff: cappedBackoff(30_000),
  async run(context, accepted, { stalls }) {
    const { parse, parseLight, admit } = context.parsePool;
    const { ingestId, size, raw } = accepted;
    if (stalls > 1) {
      await inShare(context, ingestId, () =>
        context.suspects(() => admit(size, () => ingestSuspect(context, accepted))),
      );
    } else if (raw.in === 'blob' || stalls > 0 || context.heavyMail.isAwaited(ingestId)) {
      await inShare(context, ingestId, () => admit(size, () => ingest(context, accepted, parse)));
    } else {
      await ingest(
        context,
        accepted,
        async (bytes) =>
          (await parseLight(bytes)) ?? inShare(context, ingestId, () => parse(bytes)),
      );
    }
  },
});

/** @throws {RunLater} while the places for heavy mail are taken. */
async function inShare<Result>(
  { heavyMail }: Context,
  ingestId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const comeBackIn = heavyMail.enter(ingestId);
  if (comeBackIn !== null) throw new RunLater(comeBackIn);
  try {
    return await work();
  } finally {
    heavyMail.leave();
  }
}

/** Deaths of a worker with this mail as its only suspect, after which only its headers are read. */
const DEATHS_FOR_HEADERS = 3;
const DEATHS_FOR_QUARANTINE = 6;
/** Runs in which the database took the mail in no form at all. */
const REFUSALS_FOR_QUARANTINE = 3;

/** Begins when it is the mail's turn: while it waits, it can end nobody. */
async function ingestSuspect(context: Context, accepted: AcceptedMail): Promise<void> {
  const { poison, parsePool } = context;
  const { ingestId } = accepted;
  const deaths = await poison.begin(ingestId);
  if (deaths >= DEATHS_FOR_QUARANTINE) {
    return quarantine(context, accepted, 'it ends the process that handles it');
  }
  const parseHeaders = (raw: RawSource) =>
    parsePool.parseHeaders(raw, 'reading it ended the process that did');
  try {
    await ingest(context, accepted, deaths >= DEATHS_FOR_HEADERS ? parseHeaders : parsePool.parse);
  } catch (error) {
    await quietly(context, poison.end(ingestId)); // whatever became of it, this process lives
    throw error;
  }
  await quietly(context, poison.forgive(ingestId));
}

/** What is known of a mail expires by itself; that it could not be taken back is not the mail's outcome. */
async function quietly({ log }: Context, takenBack: Promise<void>): Promise<void> {
  await takenBack.catch((error: unknown) => {
    log.warn('record of poison mail left as it is', { fault: errorText(error) });
  });
}

async function ingest(
  context: Context,
  accepted: AcceptedMail,
  parse: (raw: RawSource) => Promise<Mail<Buffer | Draft>>,
): Promise<void> {
  const { ingestId, mailId } = accepted;
  const raw = await context.rawMail.find(ingestId, accepted.raw);
  if (!raw) {
    await requireSettled(context, accepted);
    await context.rawMail.settle(ingestId);
    return;
  }
  const { parseSeconds, parseErrors, ingestLagSeconds } = context.metrics.mail;
  const began = performance.now();
  const mail = await parse(raw);
  parseSeconds.observe((performance.now() - began) / 1000);
  const outcome = await store(context, accepted, mail, raw);
  if (outcome === 'stored') {
    ingestLagSeconds.observe(Math.max(0, context.now() - accepted.receivedAt) / 1000);
    if (mail.parseError !== null) parseErrors.inc();
  }
  await context.rawMail.settle(ingestId);
  context.log.debug('mail ingested', { ingestId, mailId, outcome });
}

async function store(
  context: Context,
  accepted: AcceptedMail,
  mail: Mail<Buffer | Draft>,
  raw: RawSource,
): Promise<StoreOutcome> {
  try {
    return await storeSomehow(context, { accepted, mail, raw });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const refusals = await context.poison.refused(accepted.ingestId);
    if (refusals < REFUSALS_FOR_QUARANTINE) throw error;
    return quarantine(context, accepted, error.message);
  }
}

/**
 * The job stays in the failed set, and while it does no sweep takes the raw bytes, which count no more as
 * waiting. Tried again by hand, it starts anew.
 */
async function quarantine(
  context: Context,
  { ingestId }: AcceptedMail,
  reason: string,
): Promise<never> {
  const quarantinedBytes = await context.rawMail.setAside(ingestId);
  await quietly(context, context.poison.forgive(ingestId));
  context.metrics.mail.quarantined.inc();
  context.log.error('mail quarantined', { ingestId, reason, quarantinedBytes });
  throw new GiveUp(`quarantined: ${reason}`);
}

/**
 * The bytes go once the mail is stored, or once nobody is left to receive it: a job that finds none has
 * done its work in an earlier run.
 */
async function requireSettled(
  context: Context,
  { ingestId, messages }: AcceptedMail,
): Promise<void> {
  const { store } = context;
  const [stored] = await store.ask(mailByIngestId, ingestId);
  if (stored) return;
  const wanted = await store.ask(
    liveMailboxIds,
    messages.map(({ mailboxId }) => mailboxId),
  );
  if (wanted.length === 0) return;
  context.log.error('accepted mail without its bytes', { ingestId });
  throw new GiveUp('raw_missing');
}
