/**
 * Limits the memory of responses that clients have not read. What is above {@link SMALL} is
 * reserved before it is read from the database, and returned when the response is over. A workspace
 * can hold at most as much as is free, so one that does not read leaves room for the others. A
 * client that takes too little of such a response in a minute is disconnected.
 */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { type ByteBudget, openByteBudget } from '../../core/limits/byte-budget.ts';
import { AppError } from '../../core/errors.ts';
import { isOver, whenOver } from './request.ts';

/** Bytes of a response that is never refused. */
const SMALL = 64 * 1024;
/** Bytes that are written at once: the next ones are written when the client has taken these. */
const PIECE = 64 * 1024;
/** A client has to take so many bytes in so many milliseconds. */
const MIN_TAKEN = 256 * 1024;
const TAKEN_WITHIN_MS = 60_000;

/** What all responses of the process have in common. */
interface Shared {
  budget: ByteBudget;
  /** Reserved bytes by workspace. */
  held: Map<string, number>;
}

/** The memory of one response. */
export class Unread {
  #reserved = 0;
  #isWatched = false;
  #isOver = false;
  readonly #shared: Shared;
  readonly #req: Request;
  readonly #res: Response;

  constructor(shared: Shared, req: Request, res: Response) {
    this.#shared = shared;
    this.#req = req;
    this.#res = res;
  }

  /**
   * To be called before bytes are read for the response: at least so many are reserved for it.
   * @throws {AppError} `unavailable` if too many are held. Of a response that has begun, the
   *   connection is closed.
   */
  reserve(bytes: number): void {
    if (bytes > SMALL && bytes > this.#reserved) this.#change(bytes - this.#reserved);
  }

  /**
   * The bytes that are held from now on, in place of those reserved for what was read.
   * @throws {AppError} as {@link reserve}, if nothing was reserved.
   */
  settle(bytes: number): void {
    this.#change((bytes > SMALL ? bytes : 0) - this.#reserved, this.#reserved > 0);
  }

  #change(more: number, isAllowed = false): void {
    if (more === 0 || this.#isOver) return;
    const { budget, held } = this.#shared;
    const { locals } = this.#res;
    // A signed link has no caller.
    const id = 'caller' in locals ? locals.caller.workspace.id : '';
    const before = held.get(id) ?? 0;
    if (more <= 0 || isAllowed) budget.release(-more);
    else if (!budget.reserve(more, before)) {
      throw new AppError(
        'unavailable',
        'Too many large responses of this workspace are not read yet (HTTP_MAX_SENDING_BYTES). Read them, and retry in a few seconds.',
      );
    }
    held.set(id, before + more);
    this.#reserved += more;
    if (!this.#isWatched) {
      this.#isWatched = true;
      whenOver(this.#req, this.#res, () => {
        this.#free(id);
      });
    }
  }

  #free(id: string): void {
    const { budget, held } = this.#shared;
    this.#isOver = true;
    budget.release(this.#reserved);
    const left = (held.get(id) ?? 0) - this.#reserved;
    if (left > 0) held.set(id, left);
    else held.delete(id);
  }
}

/** Reserves bytes for the response before they are read. */
export const admitTo =
  ({ locals }: Response) =>
  (bytes: number): void => {
    locals.unread.reserve(bytes);
  };

/** @param limit bytes of the process; 0 for no limit. */
export function limitUnread(limit: number): RequestHandler {
  const shared: Shared = { budget: openByteBudget(limit), held: new Map() };
  return (req, res, next) => {
    res.locals.unread = new Unread(shared, req, res);
    const end = res.end.bind(res);
    Object.assign(res, {
      end: (...given: Parameters<typeof end>) => {
        const chunk: unknown = given[0];
        const isLarge =
          (typeof chunk === 'string' || Buffer.isBuffer(chunk)) && chunk.length > SMALL;
        // What is sent without a caller is in memory once, for all.
        const isOwn = 'caller' in res.locals && !res.headersSent && !res.locals.headOnly;
        if (!isLarge || !isOwn) return end(...given);
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        sendLarge(res, bytes, () => end(), next);
        return res;
      },
    });
    next();
  };
}

function sendLarge(res: Response, bytes: Buffer, end: () => void, next: NextFunction): void {
  try {
    res.locals.unread.settle(bytes.length);
  } catch (error) {
    next(error);
    return;
  }
  void openWriter(res).write(bytes).then(end);
}

export interface Writer {
  /** Resolves when the client has taken what it can without the rest, or is gone; never rejects. */
  write: (bytes: Buffer) => Promise<void>;
  isGone: () => boolean;
}

/** Writes a large response as its client reads it. */
export function openWriter(res: Response): Writer {
  const { req } = res;
  let wake: () => void = () => undefined;
  const isGone = () => isOver(req, res);
  res.on('drain', () => {
    wake();
  });
  endIfUnread(res);
  whenOver(req, res, () => {
    wake();
  });
  return {
    isGone,
    async write(bytes) {
      for (let from = 0; from < bytes.length && !isGone(); from += PIECE) {
        if (res.write(bytes.subarray(from, from + PIECE)) || isGone()) continue;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

/** Closes the connection of a large response that its client does not read. */
export function endIfUnread(res: Response): void {
  const { req } = res;
  const { socket } = req;
  let before = socket.bytesWritten;
  const timer = setInterval(() => {
    if (socket.bytesWritten - before < MIN_TAKEN) socket.destroy();
    before = socket.bytesWritten;
  }, TAKEN_WITHIN_MS).unref();
  whenOver(req, res, () => {
    clearInterval(timer);
  });
}
