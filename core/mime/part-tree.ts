/**
 * The parts of a mail, and of the mails enclosed in it, by IMAP's section numbers (RFC 3501 section
 * 6.4.5): `2.1` is the first part of the mail that part 2 encloses, or of the multipart 2.
 */
import { isEnclosedMail } from './canonical/content-fields.ts';
import { type MimePart, partBytes } from './canonical/part.ts';
import { readStructure } from './canonical/structure.ts';
import type { Task } from './task.ts';

/** A part as it is shown. */
export interface PartNode {
  /** The section number; null for a mail that is a multipart. */
  section: string | null;
  /** Media type in lower case. */
  type: string;
  parameters: Record<string, string>;
  encoding: 'base64' | 'quoted-printable' | 'identity';
  disposition: string | null;
  filename: string | null;
  /** Without angle brackets. */
  contentId: string | null;
  description: string | null;
  /**
   * Bytes of the decoded content; of a multipart, with its delimiters. A multipart is decoded only
   * if its delimiters are encoded (RFC 2045 section 6.4 forbids that).
   */
  size: number;
  parts: PartNode[];
}

export interface PartTree {
  root: PartNode;
  /** Why parts are missing; null if all are there. */
  fault: string | null;
}

export interface PartContent {
  type: string;
  filename: string | null;
  content: Buffer;
  /** Mails around it, without the message itself. */
  depth: number;
}

/** Of a mail, with those of the enclosed ones. */
const MAX_PARTS = 1000;
/** Mails inside each other. Each is searched for its own parts. */
export const MAX_ENCLOSED = 10;

/**
 * Takes time in proportion to the length of the mail and the depth of enclosed mails, which is
 * limited: each is decoded and searched for parts once.
 */
export function partTree(raw: Buffer): PartTree {
  let count = 0;
  const faults: string[] = [];

  const treeOf = (mail: Buffer, prefix: string, depth: number): PartNode | null => {
    let root: MimePart;
    try {
      const structure = readStructure(mail, {
        ...{ headerBytes: 1024 * 1024, parts: MAX_PARTS, partsBefore: count },
      });
      root = structure.root;
      if (structure.fault !== null) faults.push(structure.fault);
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
      return null;
    }
    return nodesOf(root, prefix, depth);
  };

  /** Without recursion over multiparts, which can be 1,000 deep. */
  const nodesOf = (root: MimePart, prefix: string, depth: number): PartNode => {
    const enclosed: { node: PartNode; bytes: Buffer }[] = [];
    const pending: { part: MimePart; node: PartNode }[] = [];
    const show = (part: MimePart): PartNode => {
      const bytes = partBytes(part);
      const node = nodeOf(part, prefix, bytes.length);
      if (isEnclosedMail(part.type)) enclosed.push({ node, bytes });
      pending.push({ part, node });
      count += 1;
      return node;
    };
    const first = show(root);
    for (let next = pending.pop(); next; next = pending.pop()) {
      for (const child of next.part.children) next.node.parts.push(show(child));
    }
    for (const { node, bytes } of enclosed) node.parts = partsOfEnclosed(bytes, node, depth);
    return first;
  };

  const partsOfEnclosed = (mail: Buffer, { section }: PartNode, depth: number): PartNode[] => {
    if (count >= MAX_PARTS) {
      faults.push(`more than ${MAX_PARTS} parts`);
      return [];
    }
    if (depth === MAX_ENCLOSED) {
      faults.push(`more than ${MAX_ENCLOSED} mails inside each other`);
      return [];
    }
    const root = treeOf(mail, `${section ?? ''}.`, depth + 1);
    if (!root) return [];
    return root.section === null ? root.parts : [root];
  };

  const root = treeOf(raw, '', 0);
  return { root: root ?? unreadable(raw.length), fault: faults[0] ?? null };
}

/** In place of a mail whose header is too long to be read. */
function unreadable(size: number): PartNode {
  return {
    ...{ section: null, type: 'application/octet-stream', parameters: {}, encoding: 'identity' },
    ...{ disposition: null, filename: null, contentId: null, description: null, size, parts: [] },
  };
}

/**
 * The decoded content of a part; null if there is no such part. Takes as long as the tree. `0` is
 * the only part of a mail that is no multipart, as Mailpit numbers it.
 */
export function partContent(raw: Buffer, section: string): PartContent | null {
  let mail = raw;
  let rest = section === '0' && rootOf(raw)?.section === '1' ? '1' : section;
  for (let depth = 0; depth <= MAX_ENCLOSED; depth += 1) {
    const root = rootOf(mail);
    const part = root && findPart(root, rest);
    if (!part) return null;
    if (part.section === rest) {
      return { type: part.type, filename: part.filename, content: partBytes(part), depth };
    }
    mail = partBytes(part);
    rest = rest.slice(part.section.length + 1);
  }
  return null;
}

/** Null if the header is too long to be read. */
function rootOf(mail: Buffer): MimePart | null {
  try {
    return readStructure(mail).root;
  } catch {
    return null;
  }
}

/** The part with this section, or the enclosed mail that has it. */
function findPart(root: MimePart, section: string): MimePart | null {
  let part = root;
  for (;;) {
    if (part.section === section) return part;
    if (isEnclosedMail(part.type)) return section.startsWith(`${part.section}.`) ? part : null;
    const next = part.children.find(
      (child) => child.section === section || section.startsWith(`${child.section}.`),
    );
    if (!next) return null;
    part = next;
  }
}

function nodeOf(part: MimePart, prefix: string, size: number): PartNode {
  const { section, type, parameters, encoding, disposition, filename } = part;
  const { contentId, description } = part;
  return {
    section: section === '' ? null : prefix + section,
    type,
    parameters: Object.fromEntries(parameters),
    encoding,
    disposition,
    filename,
    contentId,
    description,
    size,
    parts: [],
  };
}

/** The {@link partTree} of a mail as JSON. */
export const partTreeJson: Task<Buffer, Buffer> = {
  name: 'partTreeJson',
  sizeOf: ({ length }) => length,
  inlineSize: 16 * 1024,
  run: (raw) => Buffer.from(JSON.stringify(partTree(raw))),
};
