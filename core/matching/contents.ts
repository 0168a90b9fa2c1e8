/**
 * Tests messages against criteria: for waits, claims and streams of events. What the criteria look
 * at is kept, as far as it is small: the content of a message never changes. Bodies are read a few
 * at a time, by one request of the process after the other, and dropped after the test: 24 requests
 * that read at the same time what they looked at took 3.8 GB.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import {
  type MessageAndMail,
  type PagedMessage,
  messageSummariesById,
  messagesById,
} from '../../db/statements/messages.ts';
import { liveClaimsAmong } from '../../db/statements/claims.ts';
import { comparableAddress } from '../addresses.ts';
import { inBatches } from '../batches.ts';
import { boundedCache } from '../bounded-cache.ts';
import type { Context } from '../context.ts';
import { storedHeaders } from '../messages/headers.ts';
import type { ExtractedFacts, Extractions } from '../messages/extractions.ts';
import type { HeaderField } from '../messages/read-header.ts';
import type { Criterion, ContentPart, SummaryContent } from './criteria.ts';
import { shareLoads } from '../share-runs.ts';
import { foldText } from '../text/characters.ts';
import { foldedTexts } from './folded-texts.ts';

type Reading = Pick<Context, 'store' | 'now' | 'blobs' | 'log' | 'ingest'>;

const KEPT_SUMMARIES = 20_000;
const KEPT_TEXT_UNITS = 4 * 1024 * 1024;
const KEPT_HEADERS = 500;
const KEPT_FACTS = 20_000;
const NOTHING_EXTRACTED: ExtractedFacts = { hasCode: false, linkKinds: new Set() };
/** Header bytes that criteria see. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Messages whose parts are read at once. */
const SHORT = { maxItems: 100, maxBytes: Infinity, bytesOf: () => 0 };
const LONG = {
  maxItems: 100,
  maxBytes: 1024 * 1024,
  bytesOf: ({ bodyBytes }: Testable) => bodyBytes,
};

type Testable = Pick<PagedMessage, 'id' | 'bodyBytes'>;

/** The result of the test of a message. */
export interface TestResult {
  subject: string;
  /** The criteria that it does not match. */
  failed: Criterion[];
}

/** Of a message without criteria. */
const MATCHES: TestResult = { subject: '', failed: [] };

interface TestLimits {
  /** Asked before each few messages; once true, the test ends. */
  isOver?: () => boolean;
  /** Results of tests by the same criteria, which are not made again. */
  known?: Map<string, TestResult>;
}

export interface Contents {
  /**
   * Tests messages, in their order. Yields each with its result; null for one that was deleted
   * meanwhile.
   */
  test: <Row extends Testable>(
    rows: readonly Row[],
    criteria: readonly Criterion[],
    limits?: TestLimits,
  ) => AsyncGenerator<{ row: Row; tested: TestResult | null }>;
}

/** Whether a message matches all criteria; false if it was deleted. */
export async function matchesAll(
  contents: Contents,
  id: string,
  criteria: readonly Criterion[],
): Promise<boolean> {
  for await (const { tested } of contents.test([{ id, bodyBytes: 0 }], criteria)) {
    return tested?.failed.length === 0;
  }
  return false;
}

export function openContents(context: Reading, extractions: Pick<Extractions, 'of'>): Contents {
  const summaries = boundedCache<SummaryContent>(KEPT_SUMMARIES);
  const texts = new LRUCache<string, string[]>({
    maxSize: KEPT_TEXT_UNITS,
    sizeCalculation: (parts) => parts.reduce((sum, { length }) => sum + length, 1),
  });
  const headers = boundedCache<HeaderField[]>(KEPT_HEADERS);
  const facts = boundedCache<ExtractedFacts>(KEPT_FACTS);
  const inTurn = pLimit(1);

  /** Waits that are notified of a message at the same time read it once. */
  const loadSummaries = shareLoads(async (messages: { id: string }[]) => {
    const ids = messages.map(({ id }) => id);
    const rows = await messageSummariesById(context.store, ids);
    const loaded = new Map(rows.map((row) => [row.message.id, summaryOf(row)]));
    for (const [id, summary] of loaded) summaries.set(id, summary);
    return loaded;
  });

  const summariesOf = async (ids: string[]): Promise<Map<string, SummaryContent>> => {
    const found = new Map(
      ids.flatMap((id) => {
        const known = summaries.get(id);
        return known ? [[id, known] as const] : [];
      }),
    );
    const missing = ids.flatMap((id) => (found.has(id) ? [] : [{ id }]));
    for (const [id, summary] of await loadSummaries(missing)) found.set(id, summary);
    return found;
  };

  /** The results by message id; none for a message that was deleted. */
  const testSome = async (
    ids: string[],
    criteria: readonly Criterion[],
    needs: ReadonlySet<ContentPart>,
  ) => {
    const results = new Map<string, TestResult>();
    const found = await summariesOf(ids);
    const claimed = needs.has('claim') ? await context.store.query(liveClaimsAmong, ids) : [];
    const claimedIds = new Set(claimed.map(({ messageId }) => messageId));
    const known = new Map(
      ids.map((id) => {
        return [id, { text: texts.get(id), fact: facts.get(id), header: headers.get(id) }];
      }),
    );
    const missing = ids.filter((id) => {
      const { text, fact, header } = known.get(id) ?? {};
      return (
        (needs.has('text') && !text) ||
        (needs.has('extraction') && !fact) ||
        (needs.has('header') && !header)
      );
    });
    const mails = missing.length > 0 ? await messagesById(context.store, missing) : [];
    const mailOf = new Map(mails.map((mail) => [mail.message.id, mail]));
    for (const id of ids) {
      const summary = found.get(id);
      const mail = mailOf.get(id);
      const text = needs.has('text')
        ? (known.get(id)?.text ?? (mail && (await textsOf(context, mail))))
        : [];
      const fact = needs.has('extraction')
        ? (known.get(id)?.fact ?? (mail && (await extractions.of(mail))))
        : NOTHING_EXTRACTED;
      const header = needs.has('header')
        ? (known.get(id)?.header ??
          (mail && (await storedHeaders(context, mail, MAX_HEADER_BYTES))))
        : [];
      if (!summary || !text || !fact || !header) continue;
      if (needs.has('text')) texts.set(id, text);
      if (needs.has('extraction'))
        facts.set(id, { hasCode: fact.hasCode, linkKinds: fact.linkKinds });
      if (needs.has('header')) headers.set(id, header);
      const content = { ...summary, texts: text, header, claimed: claimedIds.has(id), ...fact };
      const failed = criteria.filter(({ matches }) => !matches(content));
      results.set(id, { subject: summary.subject, failed });
      if (mail) await nextTurn(); // long mail takes milliseconds
    }
    return results;
  };

  return {
    async *test(
      rows,
      criteria,
      { isOver = () => false, known = new Map<string, TestResult>() } = {},
    ) {
      if (criteria.length === 0) {
        for (const row of rows) yield { row, tested: MATCHES };
        return;
      }
      const needs = new Set(criteria.map(({ need }) => need));
      const isLong = needs.has('text') || needs.has('header') || needs.has('extraction');
      for (const some of inBatches(rows, isLong ? LONG : SHORT)) {
        const ids = some.flatMap(({ id }) => (known.has(id) ? [] : [id]));
        const run = async () => (isOver() ? null : testSome(ids, criteria, needs));
        const results = await (isLong && ids.length > 0 ? inTurn(run) : run());
        if (!results) return;
        for (const row of some) {
          const tested = results.get(row.id) ?? known.get(row.id) ?? null;
          if (tested && !needs.has('claim')) known.set(row.id, tested);
          yield { row, tested };
        }
        await nextTurn(); // SQLite reads without yielding
      }
    },
  };
}

function summaryOf({
  message,
  mail,
}: {
  message: MessageAndMail['message'];
  mail: Omit<MessageAndMail['mail'], 'text' | 'html'>;
}): SummaryContent {
  const recipients = message.envelopeTo ?? [message.recipient];
  return {
    subject: mail.subject,
    foldedSubject: foldText(mail.subject),
    from: comparableAddress(mail.fromAddress),
    to: [...new Set([...recipients, ...mail.to, ...mail.cc].map(comparableAddress))],
    tag: message.tag,
    hasAttachment: mail.attachmentCount > 0,
  };
}

/** Of a shared test, which does not end with one client. */
const NEVER = new AbortController().signal;

function textsOf({ ingest }: Reading, { message, mail }: MessageAndMail): Promise<string[]> {
  const { text, html } = mail;
  const reader = { workspaceId: message.workspaceId, gone: NEVER };
  return ingest.reading.run(reader, foldedTexts, () => ({ text, html }));
}
