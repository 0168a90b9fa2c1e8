/**
 * mailparser, kept from improving on a mail, and kept in bounds. Its own assembly joins HTML parts with line
 * breaks that nobody sent, and takes an inline text file (Apple Mail sends them so) for a part of the body.
 * This parser sees to both through the node factory and the part tree of the exact version that is installed;
 * the tests of parsing hold them in place.
 */
import { type Headers, MailParser, type MailParserOptions } from 'mailparser';

/** How much one mail may ask of the parser. */
export interface ParseLimits {
  /** Bytes of the header of the mail, or of one part. */
  headerBytes: number;
  parts: number;
  /** Whether the first parts are wanted of a mail that has more; else it is left unread at once. */
  keepsFirstParts: boolean;
  /** Whether to take on character sets whose decoding is slow. */
  slowCharsets: boolean;
}

/** What is ever read; the limits of mailparser itself. */
export const WIDEST: ParseLimits = {
  headerBytes: 1024 * 1024,
  parts: 1000,
  keepsFirstParts: true,
  slowCharsets: true,
};

/** A part as its headers announce it. */
interface PartHead {
  contentType?: string | false;
  disposition?: string | false;
  filename?: string | false;
  charset?: string | false;
}

/** A part as it was read. */
export interface Part {
  contentType?: string;
  textContent?: string;
  children?: Part[];
}

/** What the splitter hands to the parser: the head of a part, a piece of its body, or what is between parts. */
type Piece = PartHead & { type: string };

interface HeaderLine {
  /** In lower case. */
  key: string;
}

interface SplitterOptions {
  maxHeadSize: number;
  maxChildNodes: number;
}

type OpenMailParser = new (options: MailParserOptions & SplitterOptions) => MailParser & {
  readonly tree?: Part;
  processHeaders(lines: HeaderLine[]): Headers;
  createNode(head: PartHead): Part;
  processChunk(piece: Piece, done: (error?: Error) => void): void;
};

/** Decoded character by character: 1 MB takes half a second. */
const SLOW_CHARSET = /^(?:x-)?(?:unicode-?1-1-?)?utf-?7/i;

/** html-to-text overflows the stack on 15 KB of nested tags, and nobody reads what it makes. */
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
};

/** The fields somebody asks for; the others need not be decoded. */
const READ_FIELD = /^(?:from|to|cc|subject|message-id|content-.*)$/;

export class AsSentParser extends (MailParser as unknown as OpenMailParser) {
  readonly #limits: ParseLimits;
  #parts = 0;

  constructor(limits: ParseLimits) {
    super({
      ...OPTIONS,
      maxHeadSize: limits.headerBytes,
      // The splitter is ahead of the parser: what is to be kept is counted where it is read.
      maxChildNodes: limits.keepsFirstParts ? Infinity : limits.parts,
    });
    this.#limits = limits;
  }

  override createNode(head: PartHead): Part {
    if (head.disposition === 'inline' && head.filename) head.disposition = 'attachment';
    return super.createNode(head);
  }

  override processHeaders(lines: HeaderLine[]): Headers {
    return super.processHeaders(lines.filter(({ key }) => READ_FIELD.test(key)));
  }

  /** Runs in a callback of its own, where an exception would end the process. */
  override processChunk(piece: Piece, done: (error?: Error) => void): void {
    try {
      if (piece.type === 'node') this.#admit(piece);
      super.processChunk(piece, done);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #admit({ charset }: PartHead): void {
    this.#parts += 1;
    if (this.#parts > this.#limits.parts) throw new Error(`more than ${this.#limits.parts} parts`);
    if (!this.#limits.slowCharsets && SLOW_CHARSET.test(charset || '')) {
      throw new Error(`the character set ${String(charset)} is slow`);
    }
  }
}
