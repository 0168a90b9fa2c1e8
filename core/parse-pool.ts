/**
 * Parsing behind a process boundary, for mail that is large, that is slow to parse, or that was being handled
 * when a worker died. A child that runs out of memory or time is ended, and only its own mail is the poorer for it: it is
 * stored with its headers and its raw source. A thread would not do: V8 ends the whole process when a
 * thread outgrows its heap in one allocation. Few such mails are in memory at once, however many wait. One
 * that lies in a file is read there by the child, and its large attachments come back as files.
 *
 * Mail that is quickly parsed is parsed beside others. Each does a little work in every turn of the event
 * loop, so what bounds a turn is how much is being parsed at once.
 */
import { fileURLToPath } from 'node:url';
import workerpool from 'workerpool';
import { type BlobFile, blobStoreAway } from './blobs.js';
import { AppError, errorText } from './errors.js';
import { HEADER_SEARCH_BYTES } from './essential-header.js';
import { readHead, withDrafts } from './filed-mail.js';
import { type Draft, LIGHT, type Mail, parseLightMail, unreadable } from './mail.js';
import type { FileParse, Phase } from './parse-file.js';
import type { RawSource } from './raw-mail.js';
import { openTurns } from './turns.js';

const PROCESSES = 2;
const HEAP_MB = 512;
const IDLE_MS = 30_000;

/** Two mails of half this size, or one larger: each is in memory several times on its way. */
const HEAVY_BYTES_AT_ONCE = 32 * 1024 * 1024;

/** A byte of header counts for many: parsing addresses and parameters costs that much more. */
const LIGHT_BYTES_AT_ONCE = 1024 * 1024;
const HEADER_FACTOR = 8;

/** For the headers of a mail whose body was too much. */
const HEADERS_TIMEOUT_MS = 5_000;

export interface ParsePool {
  /** Runs the handling of one heavy mail, from loading to storing, when it is its turn. */
  admit: <Result>(bytes: number, work: () => Promise<Result>) => Promise<Result>;
  /**
   * Parses in a child. Never rejects for what a mail contains or does.
   * @throws {AppError} `unavailable` when the mail lies in a file that cannot be read.
   */
  parse: (raw: RawSource) => Promise<Mail<Buffer | Draft>>;
  /** Reads the header alone, in a child, for the reason given. */
  parseHeaders: (raw: RawSource, reason: string) => Promise<Mail>;
  /** Parses here, in turn with others, what is quickly parsed; resolves to null for what is not. */
  parseLight: (raw: RawSource) => Promise<Mail | null>;
  close: () => Promise<void>;
}

/** No child is started before the first heavy mail, and none is kept for long after the last. */
export function openParsePool(timeoutMs: number, heapMb = HEAP_MB): ParsePool {
  const heavy = openTurns(HEAVY_BYTES_AT_ONCE);
  const light = openTurns(LIGHT_BYTES_AT_ONCE);
  const pool = workerpool.pool(fileURLToPath(new URL('./parse-process.js', import.meta.url)), {
    workerType: 'process',
    maxWorkers: PROCESSES,
    forkOpts: {
      // No secret of ours; and large buffers go back to the system once they are free.
      env: { MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_ARENA_MAX: '2' },
      serialization: 'advanced', // Buffers stay Buffers
      execArgv: [`--max-old-space-size=${heapMb}`],
      silent: true, // the report of a full heap is not for our log
    },
  });
  let idle: NodeJS.Timeout | undefined;
  let underWay = 0;

  const inChild = async <Result>(
    method: string,
    parameters: unknown[],
    withinMs: number,
    onPhase?: (phase: Phase) => void,
  ) => {
    clearTimeout(idle);
    underWay += 1;
    try {
      return (await pool.exec(method, parameters, { on: onPhase }).timeout(withinMs)) as Result;
    } finally {
      underWay -= 1;
      // Ending the pool would end what is still queued in it, too.
      if (underWay === 0) idle = setTimeout(() => void pool.terminate(), IDLE_MS).unref();
    }
  };

  const parseHeaders = async (raw: RawSource, reason: string): Promise<Mail> => {
    const head = Buffer.isBuffer(raw)
      ? raw.subarray(0, HEADER_SEARCH_BYTES)
      : await readHead(raw, HEADER_SEARCH_BYTES);
    return inChild<Mail>('headersOnly', [head, reason], HEADERS_TIMEOUT_MS).catch(() =>
      unreadable(reason),
    );
  };

  const parseFiled = async (file: BlobFile): Promise<Mail<Buffer | Draft>> => {
    let phase: Phase = 'reading';
    const paths = [file.path, file.drafts];
    const parsing = inChild<FileParse>('parseFile', paths, timeoutMs, (next) => (phase = next));
    const parsed = await parsing.catch((error: unknown) => {
      // A disk that hangs says nothing of the mail.
      if (phase !== 'parsing' && isTimeout(error)) throw blobStoreAway(error);
      throw error;
    });
    if ('unreadable' in parsed) throw blobStoreAway(new Error(parsed.unreadable));
    return withDrafts(parsed, file);
  };

  const parse = async (raw: RawSource): Promise<Mail<Buffer | Draft>> => {
    try {
      return Buffer.isBuffer(raw)
        ? await inChild<Mail>('parseMail', [raw], timeoutMs)
        : await parseFiled(raw);
    } catch (error) {
      if (error instanceof AppError) throw error;
      return parseHeaders(raw, reasonOf(error));
    }
  };

  return {
    admit: (bytes, work) => heavy.take(Math.max(bytes, HEAVY_BYTES_AT_ONCE / PROCESSES), work),
    parse,
    parseHeaders,
    async parseLight(raw) {
      if (!Buffer.isBuffer(raw)) return null;
      const headerBytes = headerLength(raw);
      if (headerBytes > LIGHT.headerBytes) return null;
      const weight = raw.length + headerBytes * (HEADER_FACTOR - 1);
      return light.take(weight, () => parseLightMail(raw));
    },
    close: async () => {
      clearTimeout(idle);
      await pool.terminate(true);
    },
  };
}

function headerLength(raw: Buffer): number {
  const end = raw.indexOf('\r\n\r\n');
  return end < 0 ? raw.length : end;
}

function isTimeout(error: unknown): boolean {
  return error instanceof workerpool.Promise.TimeoutError;
}

function reasonOf(error: unknown): string {
  if (isTimeout(error)) return 'parsing took too long';
  return /terminated unexpectedly/i.test(errorText(error))
    ? 'parsing took too much memory'
    : errorText(error);
}
