/**
 * mailparser without its changes to the content, and with limits. mailparser joins HTML parts with
 * additional line breaks, and treats an inline text file (which Apple Mail sends) as part of the
 * body. This parser prevents both through the node factory and the part tree of the installed
 * version; the parsing tests detect changes of either. Headers are reduced to the readable fields
 * before the splitter and the parser read them, because both take superlinear time for some
 * headers.
 */
import type { Duplex } from 'node:stream';
import { type EmailAddress, type Headers, MailParser, type MailParserOptions } from 'mailparser';
import { firstAddresses } from './address-list.ts';
import type { DecodeWord } from './eight-bit-header.ts';
import { readableHeader } from './header-fields.ts';
import type { ParseLimits } from './parse-limits.ts';
import { QuotedPrintableDecoder } from './quoted-printable.ts';

/** The header of a part. */
interface PartHead {
  contentType?: string | false;
  disposition?: string | false;
  filename?: string | false;
  charset?: string | false;
  encoding?: string | false;
  headers: { getFirst(name: string): string };
  getDecoder(): Duplex;
}

/** A part whose header is being read. */
interface OpenPart {
  root: boolean;
  /** False until the header is parsed. */
  headers: object | false;
  _headersLines: Buffer[];
  _headerlen: number;
  parseHeaders(): void;
}

/** A part as it was read. */
export interface Part {
  contentType?: string;
  textContent?: string;
  isAttachment?: boolean;
  headers: Headers;
  children?: Part[];
}

/**
 * The items that the splitter passes to the parser: the header of a part, a chunk of its body, or
 * data between parts.
 */
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
  readonly splitter: { readonly node: OpenPart; newNode(parent?: OpenPart | false): void };
  readonly libmime: { decodeWord: DecodeWord; decodeWords(text: string): string };
  decodeAddresses(addresses: EmailAddress[]): void;
  getAddressesHTML(addresses: EmailAddress[]): string;
  getAddressesText(addresses: EmailAddress[]): string;
  processHeaders(lines: HeaderLine[]): Headers;
  createNode(head: PartHead): Part;
  processChunk(piece: Piece, done: (error?: Error) => void): void;
};

/** UTF-7 is decoded character by character: 1 MB takes 0.5 s. */
const SLOW_CHARSET = /^(?:x-)?(?:unicode-?1-1-?)?utf-?7/i;

/** html-to-text overflows the stack on 15 KB of nested tags, and its result is not used. */
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
};

/** The other fields are read as lines, if at all. */
const READ_FIELD = /^(?:from|to|cc|bcc|sender|reply-to|subject|message-id|content-id)$/;
/** Fields of attachments that are passed on as they are, because parsing them takes 3 % longer. */
const FIELDS_OF_ATTACHMENT = ['content-type', 'content-disposition', 'content-description'];

/** mailparser decodes these entries and searches the result for addresses. */
const ENCODED_ENTRY = /^\s*(?:=\?[^?]+\?[Bb]\?[^?]*\?=\s*)+$/;

export class VerbatimParser extends (MailParser as unknown as OpenMailParser) {
  readonly #limits: ParseLimits;
  readonly #cut = new Set<string>();
  #parts = 0;

  constructor(limits: ParseLimits) {
    super({
      ...OPTIONS,
      maxHeadSize: limits.headerBytes,
      // The splitter is ahead of the parser, so the parts to keep are counted in the parser.
      maxChildNodes: limits.keepsFirstParts ? Infinity : limits.parts,
    });
    this.#limits = limits;
    const { splitter } = this;
    const newNode = splitter.newNode.bind(splitter);
    splitter.newNode = (parent) => {
      newNode(parent);
      this.#reduceHeader(splitter.node);
    };
    this.#reduceHeader(splitter.node);
  }

  /** The names of truncated header fields; null if there are none. */
  get cutFields(): string | null {
    if (this.#cut.size === 0) return null;
    return `the header is too long, these fields are truncated: ${[...this.#cut].join(', ')}`;
  }

  override createNode(head: PartHead): Part {
    if (head.encoding === 'quoted-printable') head.getDecoder = () => new QuotedPrintableDecoder();
    if (head.disposition === 'inline' && head.filename) head.disposition = 'attachment';
    const part = super.createNode(head);
    if (part.isAttachment) {
      for (const name of FIELDS_OF_ATTACHMENT) {
        part.headers.set(name, head.headers.getFirst(name));
      }
    }
    return part;
  }

  override processHeaders(lines: HeaderLine[]): Headers {
    return super.processHeaders(lines.filter(({ key }) => READ_FIELD.test(key)));
  }

  /** Not used. */
  override getAddressesHTML(): string {
    return '';
  }

  override getAddressesText(): string {
    return '';
  }

  /** Limits what mailparser decodes from encoded words and parses again. */
  override decodeAddresses(addresses: EmailAddress[]): void {
    for (const entry of addresses) {
      if (entry.address || !ENCODED_ENTRY.test(entry.name)) continue;
      const decoded = this.libmime.decodeWords(entry.name);
      const { text } = firstAddresses(decoded);
      if (text !== decoded) {
        entry.name = `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
      }
    }
    super.decodeAddresses(addresses);
  }

  /** Runs in a separate callback, where an exception would end the process. */
  override processChunk(piece: Piece, done: (error?: Error) => void): void {
    try {
      if (piece.type === 'node') this.#admit(piece);
      super.processChunk(piece, done);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #reduceHeader(part: OpenPart): void {
    const parseHeaders = part.parseHeaders.bind(part);
    const decodeWord: DecodeWord = (...word) => this.libmime.decodeWord(...word);
    part.parseHeaders = () => {
      if (!part.headers) {
        const raw = Buffer.concat(part._headersLines, part._headerlen);
        const { header, cut } = readableHeader(raw, !part.root, decodeWord);
        for (const name of cut) this.#cut.add(name);
        part._headersLines = [header];
        part._headerlen = header.length;
      }
      parseHeaders();
    };
  }

  #admit({ charset }: PartHead): void {
    this.#parts += 1;
    if (this.#parts > this.#limits.parts) throw new Error(`more than ${this.#limits.parts} parts`);
    if (!this.#limits.slowCharsets && SLOW_CHARSET.test(charset || '')) {
      throw new Error(`the character set ${String(charset)} is slow`);
    }
  }
}
