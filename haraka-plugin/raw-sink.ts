/**
 * Collects the bytes of one mail exactly as they were sent, in place of Haraka's own stream, which
 * decodes the header as UTF-8 (a Latin-1 byte is lost), drops header lines and costs twice the CPU
 * time. Lines come as they stood on the wire and lose the dot that transparency added (RFC 5321
 * section 4.5.2). Small lines are copied into growing chunks: one Buffer a line would weigh more
 * than the line.
 */
import type { ByteBudget } from '../core/limits/byte-budget.js';

/** Un-stuffed bytes of the largest mail we take (interface, "Limits": 25 MiB). */
export const MAX_MAIL_BYTES = 26_214_400;

/**
 * Of the header alone, which is parsed as a whole: far above what any mail needs (Postfix keeps 100 KB), and
 * far below what would make parsing dear. Up to the empty line, all is header.
 */
const MAX_HEADER_BYTES = 1_048_576;
const MAX_HEADER_LINES = 10_000;

const FIRST_CHUNK_BYTES = 4 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;
const DOT = 0x2e;
const CRLF_LENGTH = 2;
const RECEIVED = /^received:/i;
const NOTHING = Buffer.alloc(0);

export class RawSink {
  readonly #byteBudget: ByteBudget;
  #full: Buffer[] = [];
  #chunk = NOTHING;
  #used = 0;
  /** What the chunks take up, filled or not. */
  #held = 0;
  #users = 0;
  #isOver = false;
  #isOverBudget = false;
  #bytes = 0;
  #mailBytes = 0;
  #inHeader = true;
  #receivedFields = 0;
  #headerBytes = 0;
  #headerLines = 0;
  #lineIsCut = false;

  constructor(byteBudget: ByteBudget) {
    this.#byteBudget = byteBudget;
  }

  /** Un-stuffed bytes of the mail as the client sent it, our Received field not counted. */
  get mailBytes(): number {
    return this.#mailBytes;
  }

  /** Bytes kept, our Received field included. */
  get bytes(): number {
    return this.#bytes;
  }

  get isTooBig(): boolean {
    return this.#mailBytes > MAX_MAIL_BYTES;
  }

  /** Whether the bytes were dropped because SMTP_MAX_RECEIVING_BYTES are held of all mails together. */
  get isOverBudget(): boolean {
    return this.#isOverBudget;
  }

  get isHeaderTooLarge(): boolean {
    return this.#headerBytes > MAX_HEADER_BYTES || this.#headerLines > MAX_HEADER_LINES;
  }

  /** Whether the empty line after the header has been read, or matters no more. */
  get isInBody(): boolean {
    return !this.#inHeader || this.isHeaderTooLarge;
  }

  /** Received fields in the client's own header; ours is not among them. */
  get receivedFields(): number {
    return this.#receivedFields;
  }

  /** What was collected, in order. */
  chunks(): Buffer[] {
    return [...this.#full, this.#chunk.subarray(0, this.#used)];
  }

  /** Hands the bytes to somebody who may go on with them after the mail is over; they count until then. */
  async lend<Result>(use: (chunks: Buffer[]) => Promise<Result>): Promise<Result> {
    this.#users += 1;
    try {
      return await use(this.chunks());
    } finally {
      this.#users -= 1;
      if (this.#isOver) this.destroy();
    }
  }

  /** The Received field that Haraka puts on top (RFC 5321 section 4.4). */
  addTrace(field: string): void {
    this.#keep(Buffer.from(field), 0);
  }

  /**
   * The next line with its CRLF. A line longer than `data_line_length` reaches us in pieces: Haraka
   * ends each (`isCut`) with a CRLF and begins the next with a space, which are both not the client's.
   */
  addLine(line: Buffer, isCut: boolean): void {
    const begin = this.#lineIsCut || line[0] === DOT ? 1 : 0;
    const end = isCut ? line.length - CRLF_LENGTH : line.length;
    const continues = this.#lineIsCut;
    this.#lineIsCut = isCut;

    this.#mailBytes += end - begin;
    if (this.#inHeader) this.#noteHeaderLine(line, end - begin, continues);
    this.#keep(line, begin, end);
  }

  /** Whole lines of the body, none of which begins with a dot. */
  addBodyLines(lines: Buffer): void {
    this.#mailBytes += lines.length;
    this.#keep(lines, 0);
  }

  /** Lets go of the bytes; what still comes is counted only. */
  destroy(): void {
    this.#isOver = true;
    if (this.#users > 0) return;
    this.#byteBudget.release(this.#held);
    this.#held = 0;
    this.#full = [];
    this.#chunk = NOTHING;
    this.#used = 0;
  }

  #noteHeaderLine(line: Buffer, length: number, continues: boolean): void {
    this.#headerBytes += length;
    if (continues) return;
    this.#headerLines += 1;
    if (line.length === CRLF_LENGTH) this.#inHeader = false;
    else if (RECEIVED.test(line.toString('latin1', 0, 9))) this.#receivedFields += 1;
  }

  #keep(bytes: Buffer, begin: number, end = bytes.length): void {
    if (this.isTooBig || this.isHeaderTooLarge) this.destroy();
    if (this.#isOver) return;
    this.#bytes += end - begin;
    let from = begin;
    while (from < end) {
      if (this.#used === this.#chunk.length && !this.#grow()) return;
      const copied = bytes.copy(this.#chunk, this.#used, from, end);
      this.#used += copied;
      from += copied;
    }
  }

  #grow(): boolean {
    const size = Math.min(Math.max(this.#chunk.length * 2, FIRST_CHUNK_BYTES), MAX_CHUNK_BYTES);
    if (!this.#byteBudget.reserve(size, this.#held)) {
      this.#isOverBudget = true;
      this.destroy();
      return false;
    }
    this.#held += size;
    if (this.#used > 0) this.#full.push(this.#chunk);
    this.#chunk = Buffer.allocUnsafe(size);
    this.#used = 0;
    return true;
  }
}
