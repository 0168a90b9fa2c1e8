/**
 * Parses heavy mail in child processes: mail that is large, slow to parse, or was active when a
 * worker crashed. A child that exceeds its memory or time is killed. A worker thread is not enough:
 * V8 ends the whole process if a thread exceeds its heap in one allocation. A child reads mail
 * stored in a file from there, and returns large attachments as files.
 *
 * Mail that is estimated to take little time is parsed in this process. A limit on the estimated
 * time of all that is parsed at once limits the length of a turn of the event loop.
 */
import { join } from 'node:path';
import { blobStoreUnavailable, type RawSource } from '../blobs/blob-store.ts';
import { ChildDeath, ChildTimeout, openChildProcesses } from './child-processes.ts';
import { AppError, errorText } from '../errors.ts';
import {
  type DraftContent,
  HEADER_SEARCH_BYTES,
  type Mail,
  parseInline,
  unreadable,
} from './parse-mail.ts';
import { type FileParse, readHead, withDrafts } from './parse-file.ts';
import { INLINE_MS, parseCost } from './parse-cost.ts';
import { type PartContent, partContent } from './part-tree.ts';
import type { Task } from './task.ts';
import { openWeightedSemaphore } from '../limits/weighted-semaphore.ts';
import { ROOT, programFile } from '../root.ts';

const HEAP_MB = 512;
const IDLE_MS = 30_000;

/**
 * Time limit of the quick lane. On a busy machine with two cores, a mail of 2 MB takes 0.1 s, one
 * of 25 MB 0.75 s.
 */
const QUICK_MS = 1000;
const QUICK_MS_A_MB = 40;

/** Larger mails are searched for parts in a child. Hostile mail of this size takes 15 ms. */
export const INLINE_PARTS_BYTES = 16 * 1024;

const HEADERS_TIMEOUT_MS = 5_000;

/**
 * A call to a child: parse a mail from its bytes or its file, read only its header, one of its
 * parts, or run a task.
 */
export type ParseCall =
  | { raw: Buffer }
  | { file: string; drafts: string }
  | { head: Buffer; reason: string }
  | { partOf: Buffer; section: string }
  | { task: string; input: unknown };

/** The limit that parsing a mail exceeded. */
export type ParseLimit = 'time' | 'memory';

/** Stored in `parseError`. */
const LIMIT_REASONS: Record<ParseLimit, string> = {
  time: 'parsing took too long',
  memory: 'parsing took too much memory',
};

export interface ParsePool {
  /**
   * Parses in a child within 1 to 2 s, depending on the size. Resolves to null if the mail exceeds
   * that time or the memory of a child.
   * @param size of the mail in bytes.
   * @throws {AppError} `unavailable` if no child can be started or the file cannot be read.
   */
  parseQuickly: (raw: RawSource, size: number) => Promise<Mail<Buffer | DraftContent> | null>;
  /**
   * Parses in a child with the long time limit. If the mail exceeds it, awaits `onLimit` and reads
   * only the header. Never rejects because of the content of a mail.
   * @throws {AppError} as `parseQuickly`.
   */
  parse: (
    raw: RawSource,
    onLimit?: (limit: ParseLimit) => Promise<void>,
  ) => Promise<Mail<Buffer | DraftContent>>;
  /** Reads only the header, in a child. @param reason stored in `parseError`. */
  parseHeaders: (raw: RawSource, reason: string) => Promise<Mail>;
  /** Same for a mail that exceeded a limit. */
  parseHeadersAfter: (raw: RawSource, limit: ParseLimit) => Promise<Mail>;
  /** Parses in this process; resolves to null for mail that takes too long for that. */
  parseInline: (raw: RawSource) => Promise<Mail | null>;
  /**
   * Runs a task, in a child if its input is not small.
   * @throws {AppError} `unavailable` if that takes too much time or memory.
   */
  run: <Input, Output>(task: Task<Input, Output>, input: Input) => Promise<Output>;
  /** Same for the content of a part of a mail; null if there is none with this section. */
  readPart: (raw: Buffer, section: string) => Promise<PartContent | null>;
  close: () => void;
}

interface PoolOptions {
  /** MiB of the heap of a child. */
  heapMb?: number | undefined;
  /** Time limit to read the headers of a mail that exceeded a limit. */
  headersMs?: number | undefined;
  idleMs?: number | undefined;
  inlineMs?: number | undefined;
  /** Path of the program of a child; the one beside this process when absent. */
  script?: string | undefined;
}

/** Reading the content of a mail takes too much time or memory, also when it is tried again. */
export class ReadingLimit extends AppError {
  constructor(message: string) {
    super('unavailable', message);
  }
}

/**
 * No child is started before the first heavy mail, and idle children are ended.
 * @param inlineMs estimated milliseconds of parsing in one turn of the event loop of this process
 */
export function openParsePool(
  timeoutMs: number,
  {
    heapMb = HEAP_MB,
    headersMs = HEADERS_TIMEOUT_MS,
    idleMs = IDLE_MS,
    inlineMs = INLINE_MS,
    script = join(ROOT, programFile('core/parser-child')),
  }: PoolOptions = {},
): ParsePool {
  const inlineLimit = openWeightedSemaphore(inlineMs);
  const children = openChildProcesses({
    script,
    heapMb,
    idleMs,
    // Contains no secrets. The malloc settings return large buffers to the system once they are
    // free.
    env: { MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_ARENA_MAX: '2' },
  });
  const inChild = <Result>(
    call: ParseCall,
    withinMs: number,
    onPhase?: (phase: string) => void,
  ): Promise<Result> => children.run(call, { withinMs, ...(onPhase && { onPhase }) });

  const parseHeaders = async (raw: RawSource, reason: string): Promise<Mail> => {
    const head = Buffer.isBuffer(raw)
      ? raw.subarray(0, HEADER_SEARCH_BYTES)
      : await readHead(raw, HEADER_SEARCH_BYTES);
    try {
      return await inChild<Mail>({ head, reason }, headersMs);
    } catch (error) {
      if (error instanceof AppError) throw error;
      return unreadable(reason);
    }
  };

  const read = async <Result>(call: ParseCall): Promise<Result> => {
    try {
      return await inChild<Result>(call, timeoutMs);
    } catch (error) {
      const limit = limitOf(error);
      if (limit === null) throw error;
      const text = `Reading the content of the mail took too much ${limit}. Read its raw source.`;
      throw new ReadingLimit(text);
    }
  };

  /**
   * @param onPhase called with the phase of the child: only the time of parsing counts against the
   *   mail.
   */
  const parseWhole = async (
    raw: RawSource,
    withinMs: number,
    onPhase?: (phase: string) => void,
  ): Promise<Mail<Buffer | DraftContent>> => {
    if (Buffer.isBuffer(raw)) return inChild<Mail>({ raw }, withinMs);
    const call = { file: raw.path, drafts: raw.drafts };
    const parsed = await inChild<FileParse>(call, withinMs, onPhase);
    if ('unreadable' in parsed) throw blobStoreUnavailable(new Error(parsed.unreadable));
    return withDrafts(parsed, raw);
  };

  return {
    async parseQuickly(raw, size) {
      const quickMs = QUICK_MS + (size / 1_000_000) * QUICK_MS_A_MB;
      try {
        return await parseWhole(raw, Math.min(quickMs, timeoutMs));
      } catch (error) {
        if (error instanceof AppError) throw error;
        return null;
      }
    },
    async parse(raw, onLimit) {
      let phase = Buffer.isBuffer(raw) ? 'parsing' : 'reading';
      try {
        return await parseWhole(raw, timeoutMs, (next) => (phase = next));
      } catch (error) {
        if (error instanceof AppError) throw error;
        if (error instanceof ChildTimeout && phase !== 'parsing') throw blobStoreUnavailable(error);
        const limit = limitOf(error);
        if (limit === null) return parseHeaders(raw, errorText(error));
        await onLimit?.(limit);
        return parseHeaders(raw, LIMIT_REASONS[limit]);
      }
    },
    parseHeaders,
    parseHeadersAfter: (raw, limit) => parseHeaders(raw, LIMIT_REASONS[limit]),
    async parseInline(raw) {
      if (!Buffer.isBuffer(raw)) return null;
      const cost = parseCost(raw);
      return cost > inlineMs ? null : inlineLimit.runExclusive(cost, () => parseInline(raw));
    },
    run: async (task, input) =>
      task.sizeOf(input) <= task.inlineSize ? task.run(input) : read({ task: task.name, input }),
    readPart: async (raw, section) =>
      raw.length <= INLINE_PARTS_BYTES
        ? partContent(raw, section)
        : read<PartContent | null>({ partOf: raw, section }),
    close: children.close,
  };
}

function limitOf(error: unknown): ParseLimit | null {
  if (error instanceof ChildTimeout) return 'time';
  return error instanceof ChildDeath ? 'memory' : null;
}
