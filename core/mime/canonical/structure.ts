/**
 * Finds the parts of a mail (RFC 2046 section 5.1) in its bytes, in one pass and without recursion.
 *
 * Tolerates what mailers write: delimiters of outer multiparts are recognized at any depth, so an
 * inner multipart that is not closed ends there (section 5.1.2); whitespace after a delimiter is
 * ignored (section 5.1.1); a multipart whose boundary parameter is missing or never occurs is read
 * by the delimiters it has, and is text without any; a multipart with a transfer encoding, which
 * RFC 2045 section 6.4 forbids, is decoded first, and if it is not encoded the field is ignored.
 */
import { CONTENT_FIELD, isLongContentField, readContentFields } from './content-fields.ts';
import { type HeaderBlock, type RawField, readHeaderBlock, withLineFeeds } from './header-block.ts';
import {
  type Line,
  MAX_BOUNDARY,
  beforeLineEnd,
  dashedText,
  declaredBoundary,
  findDelimiter,
  nextDashes,
} from './delimiters.ts';
import { fit } from '../facts/fit.ts';
import type { MimePart } from './part.ts';
import { decodeTransfer } from './transfer-encoding.ts';

export interface StructureLimits {
  /** Bytes of one header. */
  headerBytes: number;
  /** Bytes of the headers of all parts; no limit by default. */
  partHeaderBytes?: number;
  /** Parts including multiparts. */
  parts: number;
  /** Parts of other mails that count too. */
  partsBefore?: number;
}

export interface Structure {
  root: MimePart;
  /** The fields of the mail that were asked for. */
  fields: RawField[];
  /** The reason if not all parts were read. */
  fault: string | null;
  /** What the mail has that cannot be shown; null if nothing. */
  defect: string | null;
}

const DEFAULT_LIMITS: StructureLimits = { headerBytes: 1024 * 1024, parts: 1000 };

/** Bytes beyond those of the mail that are searched for boundaries which do not occur. */
const SEARCH_MARGIN = 64 * 1024;

interface Delimiter extends Line {
  /** The multipart it belongs to. */
  depth: number;
  isClose: boolean;
}

/** A multipart, and the bytes in which its parts are searched. */
interface Job extends Line {
  part: MimePart;
  source: Buffer;
  boundary: string;
}

/**
 * The parts of a mail.
 *
 * @param wants true for the names of header fields of the mail to return.
 * @throws {Error} if the header of the mail is longer than its limit.
 */
export function readStructure(
  raw: Buffer,
  limits: StructureLimits = DEFAULT_LIMITS,
  wants: (name: string) => boolean = () => false,
): Structure {
  return new StructureReader(raw, limits).read(raw, wants);
}

class StructureReader {
  readonly #limits: StructureLimits;
  #partCount: number;
  #partHeaderBytes = 0;
  #fault: string | null = null;
  #defect: string | null = null;
  /** Bytes that may still be searched for the boundary of one multipart. */
  #searchBytes: number;
  /** The multiparts that are open, with the innermost last. */
  #open: { part: MimePart; boundary: string }[] = [];
  /** The depths at which a boundary is open. */
  #depths = new Map<string, number[]>();
  /** Boundaries whose close-delimiter was found. */
  readonly #closed = new Set<string>();
  /** Multiparts that were decoded, whose parts are found afterwards. */
  readonly #decoded: Job[] = [];

  constructor(raw: Buffer, limits: StructureLimits) {
    this.#limits = limits;
    this.#partCount = limits.partsBefore ?? 0;
    this.#searchBytes = raw.length + SEARCH_MARGIN;
  }

  read(mail: Buffer, wants: (name: string) => boolean): Structure {
    const raw = withLineFeeds(mail);
    const end = Math.min(raw.length, this.#limits.headerBytes);
    const header = readHeaderBlock(raw, {
      start: 0,
      end,
      wants: (name) => CONTENT_FIELD.test(name) || wants(name),
    });
    if (!header.isComplete && end < raw.length) throw new Error('the header is too long');
    const root = this.#newPart(raw, 0, header, null);
    const job = this.#openMultipart(root, raw.length, false);
    if (job) this.#split(job);
    for (let next = this.#decoded.shift(); next; next = this.#decoded.shift()) this.#split(next);
    return { root, fields: header.fields, fault: this.#fault, defect: this.#defect };
  }

  /** Finds the parts of a multipart, and of the multiparts in it. */
  #split({ part, source, boundary, start, end }: Job): void {
    const isDecoded = source !== part.source;
    this.#open = [];
    this.#depths = new Map();
    this.#push(part, boundary);
    let current: MimePart | null = null;
    /** The multipart that was closed before `at`. Text after that belongs to it (section 5.1.1). */
    let closed: MimePart | null = null;
    for (let at = start; ;) {
      const found = this.#nextDelimiter(source, at, end, current === null);
      const bodyEnd = found ? beforeLineEnd(source, at, found.start) : end;
      if (current) current.bodyEnd = Math.max(current.bodyStart, bodyEnd);
      if (closed)
        closed.bodyEnd = found ? beforeLineEnd(source, closed.bodyStart, found.start) : end;
      current = null;
      closed = null;
      const kept = found ? found.depth + (found.isClose ? 0 : 1) : 0;
      while (this.#open.length > kept) {
        const ended = this.#pop();
        if (ended.source !== source) continue;
        if (found?.isClose && this.#open.length === kept && ended.children.length > 0) {
          closed = ended;
        } else {
          ended.bodyEnd = Math.max(ended.bodyStart, bodyEnd);
        }
      }
      if (!found) return;
      at = found.end;
      if (found.isClose) continue;
      const parent = this.#open[found.depth]?.part ?? part;
      current = this.#readPart(source, found.end, end, parent);
      if (!current) return;
      at = current.bodyStart;
      const job = this.#openMultipart(current, end, isDecoded);
      if (job && job.source === source) this.#push(current, job.boundary);
      else if (job) this.#decoded.push(job);
    }
  }

  #readPart(source: Buffer, start: number, end: number, parent: MimePart): MimePart | null {
    if (this.#partCount >= this.#limits.parts) {
      this.#fault = `more than ${this.#limits.parts} parts`;
      return null;
    }
    if (this.#partHeaderBytes > (this.#limits.partHeaderBytes ?? Infinity)) {
      this.#fault = 'the headers of the parts are too long';
      return null;
    }
    const isDelimiter = (from: number, to: number) => this.#match(source, from, to) !== null;
    const headerEnd = Math.min(end, start + this.#limits.headerBytes);
    const header = readHeaderBlock(source, {
      start,
      end: headerEnd,
      isDelimiter,
      wants: (name) => CONTENT_FIELD.test(name),
    });
    if (!header.isComplete && headerEnd < end) {
      this.#fault = 'the header of a part is too long';
      header.fields = [{ name: 'Content-Type', value: 'application/octet-stream' }];
      header.end = start;
    }
    this.#partHeaderBytes += header.end - start;
    const part = this.#newPart(source, start, header, parent);
    parent.children.push(part);
    return part;
  }

  #newPart(
    source: Buffer,
    headerStart: number,
    { fields, end, strays }: HeaderBlock,
    parent: MimePart | null,
  ): MimePart {
    this.#partCount += 1;
    const defaultType = parent?.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
    const content = readContentFields(fields, defaultType);
    const long = fields.find(({ name, value }) => isLongContentField(name, value));
    if (long) this.#fault ??= truncated([long.name.toLowerCase()]);
    if (strays.length > 0) {
      this.#defect ??= fit(`lines between header fields are no fields: ${strays.join(' | ')}`);
    }
    const section = parent ? `${parent.children.length + 1}` : '';
    return {
      ...content,
      section: parent?.section ? `${parent.section}.${section}` : section,
      source,
      headerStart,
      bodyStart: end,
      bodyEnd: source.length,
      parent,
      children: [],
    };
  }

  /** How a multipart is split; null for another part, and for a multipart that is only text. */
  #openMultipart(part: MimePart, end: number, isDecoded: boolean): Job | null {
    if (!part.type.startsWith('multipart/')) {
      part.section ||= '1';
      return null;
    }
    const { source, bodyStart, encoding } = part;
    const declared = declaredBoundary(part);
    const isVisible = this.#occurs(source, bodyStart, end, declared);
    const isEncoded =
      encoding === 'base64' ? !isVisible : encoding !== 'identity' && hasEscapes(source, bodyStart);
    if (isEncoded && !isDecoded) {
      const next = this.#nextDelimiter(source, bodyStart, end);
      const bytes = decodeTransfer(source.subarray(bodyStart, next?.start ?? end), encoding);
      const boundary = this.#boundaryOf(bytes, 0, bytes.length, declared);
      if (boundary !== null) return { part, source: bytes, boundary, start: 0, end: bytes.length };
    }
    const boundary = isVisible ? declared : this.#guessBoundary(source, bodyStart, end);
    if (boundary !== null) {
      part.encoding = 'identity';
      return { part, source, boundary, start: bodyStart, end };
    }
    part.type = 'text/plain';
    part.section ||= '1';
    return null;
  }

  #boundaryOf(source: Buffer, start: number, end: number, declared: string): string | null {
    const isVisible = this.#occurs(source, start, end, declared);
    return isVisible ? declared : this.#guessBoundary(source, start, end);
  }

  /** Whether a line of the bytes is a delimiter with this boundary. */
  #occurs(source: Buffer, start: number, end: number, boundary: string): boolean {
    if (boundary === '' || boundary.length > MAX_BOUNDARY) return false;
    if (this.#searchBytes <= 0) return true;
    const found = findDelimiter(source, boundary, start, end);
    this.#searchBytes -= (found?.start ?? end) - start;
    return found !== null;
  }

  /**
   * The boundary of the first line that looks like a delimiter: a header field of the content
   * follows.
   */
  #guessBoundary(source: Buffer, start: number, end: number): string | null {
    for (let at = start; at < end && this.#searchBytes > 0;) {
      const line = nextDashes(source, at, end);
      this.#searchBytes -= (line?.end ?? end) - at;
      if (!line || this.#match(source, line.start, line.end)) return null;
      const text = dashedText(source, line);
      const next = source.toString('latin1', line.end, line.end + 64);
      if (text !== null && text !== '' && /^content-[a-z-]+[ \t]*:/i.test(next)) return text;
      at = line.end;
    }
    return null;
  }

  /** @param isIgnored whether the bytes are of no part, so that no part can follow there. */
  #nextDelimiter(source: Buffer, start: number, end: number, isIgnored = false): Delimiter | null {
    for (let at = start; ;) {
      const line = nextDashes(source, at, end);
      if (!line) return null;
      const found = this.#match(source, line.start, line.end);
      if (found) return { ...line, ...found };
      if (isIgnored && this.#closed.has(dashedText(source, line) ?? '')) {
        this.#defect ??= 'a part follows the end of its multipart';
      }
      at = line.end;
    }
  }

  /** The innermost open multipart that the line is a delimiter of. */
  #match(source: Buffer, start: number, end: number): Omit<Delimiter, keyof Line> | null {
    const text = dashedText(source, { start, end });
    if (text === null) return null;
    const depth = this.#depths.get(text)?.at(-1);
    if (depth !== undefined) return { depth, isClose: false };
    if (!text.endsWith('--')) return null;
    const closed = this.#depths.get(text.slice(0, -2))?.at(-1);
    return closed === undefined ? null : { depth: closed, isClose: true };
  }

  #push(part: MimePart, boundary: string): void {
    const depths = this.#depths.get(boundary) ?? [];
    depths.push(this.#open.length);
    this.#depths.set(boundary, depths);
    this.#open.push({ part, boundary });
  }

  #pop(): MimePart {
    const top = this.#open.pop();
    if (!top) throw new Error('no multipart is open');
    this.#depths.get(top.boundary)?.pop();
    this.#closed.add(top.boundary);
    return top.part;
  }
}

/** The fault of a mail with header fields that are too long. */
export function truncated(names: string[]): string {
  return `the header is too long, these fields are truncated: ${names.join(', ')}`;
}

/**
 * Whether the header of the first part is quoted-printable, as mailers that encode all of it do.
 */
function hasEscapes(source: Buffer, start: number): boolean {
  const head = source.toString('latin1', start, start + 4096);
  return /^content-[a-z-]+[ \t]*:[^\r\n]*=3D/im.test(head);
}
