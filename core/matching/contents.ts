/**
 * Loads what criteria look at, and keeps it: the content of a message never changes. Waits of one
 * mailbox that look at the same message at the same time load it once.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  type MessageAndMail,
  type PagedMessage,
  messageSummariesById,
  messagesById,
} from '../../db/statements/messages.ts';
import { liveClaimsAmong } from '../../db/statements/claims.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { comparableAddress } from '../addresses.ts';
import { inBatches } from '../batches.ts';
import { boundedCache } from '../bounded-cache.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { messageHeaders } from '../messages/headers.ts';
import type { ExtractedFacts, Extractions } from '../messages/extractions.ts';
import type { HeaderField } from '../messages/read-header.ts';
import { visibleText } from '../text/visible-text.ts';
import type { Content, Criterion, Need, SummaryContent } from './criteria.ts';
import { foldText } from '../text/characters.ts';

type Reading = Pick<Context, 'store' | 'now' | 'blobs' | 'log'>;

const KEPT_SUMMARIES = 20_000;
const KEPT_TEXT_UNITS = 8 * 1024 * 1024;
const KEPT_HEADERS = 500;
const KEPT_FACTS = 20_000;
const NOTHING_EXTRACTED: ExtractedFacts = { hasCode: false, linkKinds: new Set() };
/** Header bytes and characters of a body that criteria see. */
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_BODY_UNITS = 1024 * 1024;
const PER_STATEMENT = 100;
const MAX_BODY_BYTES_PER_STATEMENT = 8 * 1024 * 1024;

export interface Contents {
  /**
   * The contents of messages of a mailbox, with the parts that the criteria need; without those
   * that were deleted meanwhile.
   */
  of: (
    mailbox: MailboxRow,
    messages: Pick<PagedMessage, 'id' | 'bodyBytes'>[],
    criteria: Criterion[],
  ) => Promise<Map<string, Content>>;
}

export function openContents(context: Reading, extractions: Pick<Extractions, 'of'>): Contents {
  const summaries = boundedCache<SummaryContent>(KEPT_SUMMARIES);
  const texts = new LRUCache<string, string[]>({
    maxSize: KEPT_TEXT_UNITS,
    sizeCalculation: (parts) => parts.reduce((sum, { length }) => sum + length, 1),
  });
  const headers = boundedCache<HeaderField[]>(KEPT_HEADERS);
  const facts = boundedCache<ExtractedFacts>(KEPT_FACTS);
  const loading = new Map<string, Promise<Map<string, Loaded>>>();

  /** Loads each message once, however many callers ask for it at the same time. */
  const load = async (
    mailbox: MailboxRow,
    ids: string[],
    need: Exclude<Need, 'claim'>,
  ): Promise<Map<string, Loaded>> => {
    const own = ids.filter((id) => !loading.has(`${need} ${id}`));
    if (own.length > 0) {
      const loaded = need === 'header' ? loadHeaders(mailbox, own) : loadMails(own, need);
      for (const id of own) loading.set(`${need} ${id}`, loaded);
      const forget = () => {
        for (const id of own) loading.delete(`${need} ${id}`);
      };
      loaded.then(forget, forget);
    }
    const all = await Promise.all(new Set(ids.flatMap((id) => loading.get(`${need} ${id}`) ?? [])));
    return new Map(all.flatMap((each) => [...each]));
  };

  const loadMails = async (ids: string[], need: 'summary' | 'text' | 'extraction') => {
    const loaded = new Map<string, Loaded>();
    if (need === 'summary') {
      for (const row of await messageSummariesById(context.store, ids)) {
        const summary = summaryOf(row);
        summaries.set(row.message.id, summary);
        loaded.set(row.message.id, summary);
      }
      return loaded;
    }
    for (const shown of await messagesById(context.store, ids)) {
      const { id } = shown.message;
      if (need === 'text') {
        const parts = textsOf(shown.mail);
        texts.set(id, parts);
        loaded.set(id, parts);
      } else {
        const { hasCode, linkKinds } = await extractions.of(shown);
        facts.set(id, { hasCode, linkKinds });
        loaded.set(id, { hasCode, linkKinds });
      }
      await nextTurn(); // long mail takes milliseconds
    }
    return loaded;
  };

  const loadHeaders = async (mailbox: MailboxRow, ids: string[]) => {
    const loaded = new Map<string, Loaded>();
    for (const id of ids) {
      const fields = await headerOf(context, mailbox, id);
      if (!fields) continue;
      headers.set(id, fields);
      loaded.set(id, fields);
    }
    return loaded;
  };

  return {
    async of(mailbox, messages, criteria) {
      const needs = new Set(criteria.map(({ need }) => need));
      const found = new Map<string, Content>();
      const readsBodies = needs.has('text') || needs.has('extraction');
      const limits = {
        maxItems: PER_STATEMENT,
        maxBytes: readsBodies ? MAX_BODY_BYTES_PER_STATEMENT : Infinity,
        bytesOf: ({ bodyBytes }: (typeof messages)[number]) => bodyBytes,
      };
      for (const some of inBatches(messages, limits)) {
        const ids = some.map(({ id }) => id);
        const part = async <Part extends Loaded>(
          need: Exclude<Need, 'claim'>,
          kept: LRUCache<string, Part>,
        ): Promise<Map<string, Part>> => {
          if (need !== 'summary' && !needs.has(need)) return new Map();
          const parts = new Map<string, Part>();
          const missing = ids.filter((id) => {
            const known = kept.get(id);
            if (known) parts.set(id, known);
            return !known;
          });
          if (missing.length === 0) return parts;
          const loaded = (await load(mailbox, missing, need)) as Map<string, Part>;
          for (const id of missing) {
            const each = loaded.get(id);
            if (each) parts.set(id, each);
          }
          await nextTurn(); // SQLite reads without yielding
          return parts;
        };
        const summary = await part('summary', summaries);
        const text = await part('text', texts);
        const header = await part('header', headers);
        const extraction = await part('extraction', facts);
        for (const id of ids) {
          const known = summary.get(id);
          if (!known || (needs.has('text') && !text.has(id))) continue;
          if (needs.has('header') && !header.has(id)) continue;
          if (needs.has('extraction') && !extraction.has(id)) continue;
          const rest = { texts: text.get(id) ?? [], header: header.get(id) ?? [], claimed: false };
          found.set(id, { ...known, ...rest, ...(extraction.get(id) ?? NOTHING_EXTRACTED) });
        }
        if (!needs.has('claim')) continue;
        for (const { messageId } of await context.store.ask(liveClaimsAmong, ids)) {
          const content = found.get(messageId);
          if (content) content.claimed = true;
        }
      }
      return found;
    },
  };
}

type Loaded = SummaryContent | string[] | HeaderField[] | ExtractedFacts;

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

function textsOf({ text, html }: Pick<MessageAndMail['mail'], 'text' | 'html'>): string[] {
  return [
    ...(text === null ? [] : [foldText(text.slice(0, MAX_BODY_UNITS))]),
    ...(html === null ? [] : [foldText(visibleText(html, MAX_BODY_UNITS))]),
  ];
}

/** Null if the message was deleted. */
async function headerOf(
  context: Reading,
  mailbox: MailboxRow,
  id: string,
): Promise<HeaderField[] | null> {
  try {
    return await messageHeaders(context, mailbox, id, MAX_HEADER_BYTES);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}
