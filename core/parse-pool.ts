/**
 * Parsing behind a process boundary, for mail that is large or that was being handled when a worker died.
 * A child that runs out of memory or time is ended, and only its own mail is the poorer for it: it is
 * stored with its headers and its raw source. A thread would not do: V8 ends the whole process when a
 * thread outgrows its heap in one allocation. Few such mails are in memory at once, however many wait.
 */
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import workerpool from 'workerpool';
import { errorText } from './errors.js';
import { type Mail, headersOnly } from './mail.js';

const PROCESSES = 2;
const HEAP_MB = 512;
const IDLE_MS = 30_000;

/** Address parsing is superlinear: a megabyte of addresses would hold up a worker for seconds. */
const LONG_HEADER_BYTES = 64 * 1024;

/** Whether the header alone makes a mail heavy to parse. */
export function hasLongHeader(raw: Buffer): boolean {
  const end = raw.indexOf('\r\n\r\n');
  return (end < 0 ? raw.length : end) > LONG_HEADER_BYTES;
}

export interface ParsePool {
  /** Runs the handling of one heavy mail, from loading to storing, when it is its turn. */
  admit: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Never rejects for what a mail contains or does. */
  parse: (raw: Buffer) => Promise<Mail>;
  close: () => Promise<void>;
}

/** No child is started before the first heavy mail, and none is kept for long after the last. */
export function openParsePool(timeoutMs: number, heapMb = HEAP_MB): ParsePool {
  const limit = pLimit(PROCESSES);
  const pool = workerpool.pool(fileURLToPath(new URL('./parse-process.js', import.meta.url)), {
    workerType: 'process',
    maxWorkers: PROCESSES,
    forkOpts: {
      serialization: 'advanced', // Buffers stay Buffers
      execArgv: [`--max-old-space-size=${heapMb}`],
      silent: true, // the report of a full heap is not for our log
    },
  });
  let idle: NodeJS.Timeout | undefined;

  return {
    admit: (work) => limit(work),
    async parse(raw) {
      clearTimeout(idle);
      try {
        const mail: unknown = await pool.exec('parseMail', [raw]).timeout(timeoutMs);
        return mail as Mail;
      } catch (error) {
        return await headersOnly(raw, reasonOf(error));
      } finally {
        idle = setTimeout(() => void pool.terminate(), IDLE_MS).unref();
      }
    },
    close: async () => {
      clearTimeout(idle);
      await pool.terminate(true);
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof workerpool.Promise.TimeoutError) return 'parsing took too long';
  return /terminated unexpectedly/i.test(errorText(error))
    ? 'parsing took too much memory'
    : errorText(error);
}
