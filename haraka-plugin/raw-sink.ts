/**
 * Collects the bytes of one mail as sent. It replaces Haraka's message stream, which decodes the
 * header as UTF-8 (and so corrupts Latin-1), drops header lines and takes twice the CPU time. The
 * input is lines as received; the sink removes dot-stuffing (RFC 5321 section 4.5.2). Small lines
 * are copied into growing chunks, because one Buffer per line would take more memory than the line.
 */
import type { ByteBudget } from '../core/limits/byte-budget.ts';

/** Maximum size of a mail in bytes (25 MiB), without dot-stuffing. */
export const MAX_MAIL_BYTES = 26_214_400;

/**
 * Limit of the header, which is parsed as a whole. Real mail has far less (the default of Postfix
 * is 100 KB). Everything before the first empty line counts as header.
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
  /** Allocated size of the chunks. */
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

  /**
   * Bytes of the mail as sent by the client, without dot-stuffing and without Mayfly's Received
   * field.
   */
  get mailBytes(): number {
    return this.#mailBytes;
  }

  /** Bytes stored, including Mayfly's Received field. */
  get bytes(): number {
    return this.#bytes;
  }

  get isTooBig(): boolean {
    return this.#mailBytes > MAX_MAIL_BYTES;
  }

  /** Whether the bytes were dropped because all mails together reached SMTP_MAX_RECEIVING_BYTES. */
  get isOverBudget(): boolean {
    return this.#isOverBudget;
  }

  get isHeaderTooLarge(): boolean {
    return this.#headerBytes > MAX_HEADER_BYTES || this.#headerLines > MAX_HEADER_LINES;
  }

  /** Whether the empty line after the header was read, or the mail is already rejected. */
  get isInBody(): boolean {
    return !this.#inHeader || this.isHeaderTooLarge;
  }

  /** Received fields in the header of the client, without Mayfly's own. */
  get receivedFields(): number {
    return this.#receivedFields;
  }

  /** The collected bytes, in order. */
  chunks(): Buffer[] {
    return [...this.#full, this.#chunk.subarray(0, this.#used)];
  }

  /**
   * Lends the bytes to a function that may outlive the mail. They count against the byte budget
   * until it settles.
   */
  async lend<Result>(use: (chunks: Buffer[]) => Promise<Result>): Promise<Result> {
    this.#users += 1;
    try {
      return await use(this.chunks());
    } finally {
      this.#users -= 1;
      if (this.#isOver) this.destroy();
    }
  }

  /** Adds Mayfly's Received field (RFC 5321 section 4.4). */
  addTrace(field: string): void {
    this.#keep(Buffer.from(field), 0);
  }

  /**
   * Adds a line with its CRLF. Haraka splits a line longer than `data_line_length` into pieces: it
   * ends each piece (`isCut`) with a CRLF and starts the next with a space. Both are removed.
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

  /** Adds whole body lines, none of which starts with a dot. */
  addBodyLines(lines: Buffer): void {
    this.#mailBytes += lines.length;
    this.#keep(lines, 0);
  }

  /** Releases the bytes. Further input is only counted. */
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
